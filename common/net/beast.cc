// The one translation unit that holds Beast's function bodies.
#include <boost/beast/src.hpp>
