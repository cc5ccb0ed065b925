"""The screens, driven by key and looked at."""
