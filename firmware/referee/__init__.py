"""The rules, pure: the standard library and itself. No clock, no files, no devices."""
