"""Presets: package data, one TOML file each."""
