"""The program `dehusk`, which a wheel brings along."""

import sys

from dehusk import _dehusk


def main() -> int:
    """Run the program with the arguments of this process. Returns its exit status."""
    return _dehusk.program(sys.argv)
