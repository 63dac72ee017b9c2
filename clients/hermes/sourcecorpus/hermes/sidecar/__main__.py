"""``python -m sourcecorpus.hermes.sidecar``: the sidecar without the command line around it."""

import sys

from sourcecorpus.hermes.sidecar.bootstrap import main

if __name__ == "__main__":
    sys.exit(main())
