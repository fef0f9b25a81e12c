"""``python -m arena`` is ``arena``."""

import sys

from .cli import main

sys.exit(main())
