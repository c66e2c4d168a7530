import sys

from fixgw.cli import main

sys.exit(main())
