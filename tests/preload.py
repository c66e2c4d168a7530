"""What processes of the suite need not read again: see prefork.py."""

from fixgw.codec.dictionary import RULES
from fixgw.codec.standard import dictionary

for name in RULES:
    dictionary(name)
