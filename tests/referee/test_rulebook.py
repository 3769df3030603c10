"""The rules for people: every game has them, and docs/games/ holds what `cardtable rulebook` prints."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from firmware.referee import games as folder
from firmware.referee.house import BadSetup, rules_of
from firmware.referee.match import games, rulebook
from firmware.referee.rulings import CODES, codebook

DOCS = Path(__file__).resolve().parent.parent.parent / "docs" / "games"

#: The ambiguities that RULES.md names as options for each game.
NAMED = {
    "wish_card": "after_payment gather_scope cancelled_pile empty_pack short_payment wish_undealt faceup_wish "
    "last_card_court start direction stop_moment pool redeal_loser",
    "ranter_go_round": "tie all_out king_show king_may_give dealer_king audit_discard redraw "
    "king_must_show_on_deal shuffle lives stake two_left king_may_demand announce_three false_king_fine silence_fine",
    "five_or_nine": "deal_table opening_pass_pays nine_start uniform_starter two_starters_one_suit which_line corner "
    "dead_deal winner_no_pass_pay who_counts_cards forced_going_out ante false_pass_fine held_starter_fine",
    "fan_tan": "forced out_on_13 last_card_ends full_circuit start_suit uneven_ante per_card first_lead ante "
    "withhold_fine broke",
    "pope_joan": "form pope_card turnup_pope pope_exempt dressing lead_lowest pope_as_stop_filler matrimony_by_hand "
    "foster_layout foster_double turnup_owner held_back_fine stop_call ace_low dead_hand_extra",
    "matrimony": "best_only_up two_winners down_pair_and_up sweep_first stake_less zero_stake "
    "fresh_pool_after_sweep order_of_exposure",
    "newmarket": "ace per_card colour_change lead_lowest dead_hand unclaimed",
    "snip_snap_snorem": "cannot_snip counters",
    "comet": "pack king_draws comet_draws per_card",
}


@pytest.mark.parametrize("game", sorted(games()))
def test_the_page_holds_what_the_command_prints(game: str) -> None:
    assert (DOCS / f"{game}.md").read_text(encoding="utf-8") == rulebook(game), (
        f"cardtable rulebook {game} > docs/games/{game}.md"
    )


@pytest.mark.parametrize("game", sorted(games()))
def test_every_house_rule_has_words_a_source_and_a_lawful_default(game: str) -> None:
    for rule in rules_of(games()[game].House):
        assert rule.words.endswith(".")
        assert rule.source
        assert not rule.choices or rule.default in rule.choices
        assert f"`{rule.name}`" in rulebook(game)


@pytest.mark.parametrize("game", sorted(NAMED))
def test_every_ambiguity_of_the_digest_is_a_house_rule(game: str) -> None:
    assert set(NAMED[game].split()) <= {rule.name for rule in rules_of(games()[game].House)}


def test_the_page_of_codes_holds_every_code() -> None:
    assert (DOCS.parent / "rulings.md").read_text(encoding="utf-8") == codebook()


def test_every_code_in_the_games_has_words() -> None:
    """Codes are written in capitals; those of payments and of whose turn it is carry words of their own."""
    source = "".join(path.read_text(encoding="utf-8") for path in Path(folder.__path__[0]).glob("*.py"))
    refused = set(re.findall(r'refuse\([^"]*"([A-Z_]+)"', source)) | set(
        re.findall(r'Kind.NOTICE, "([A-Z_]+)"', source)
    )
    assert refused <= set(CODES)


def test_an_unknown_game_is_one_line() -> None:
    with pytest.raises(BadSetup, match=r"no game is called 'popejoan' \(did you mean 'pope_joan'\?\)"):
        rulebook("popejoan")
