"""The attacks of penetration.sh: URL TOKEN-FILE HONE FOLDER [PART]. Standard library only.

A file and a function for each part, of the part's name: whoever reads one wants to see what is missing in it.
"""
import sys

from archives import archives
from authentication import authentication
from browser import browser
from lifetime import lifetime
from others import others
from oversized import oversized
from policies import policies
from smuggling import smuggling
from timing import timing
from traversal import traversal
from verdict import done

PARTS = (authentication, lifetime, browser, traversal, smuggling, oversized, timing, others, policies,
         archives)
for part in PARTS:
    if part.__name__ in (sys.argv[5:] or [part.__name__]):
        part()
if not done:
    sys.exit(f"penetration: no such part; there are {', '.join(part.__name__ for part in PARTS)}")
print(f"penetration: {sum(done)} of {len(done)} refused")
sys.exit(0 if all(done) else 1)
