// The one translation unit that holds Asio's function bodies.
#include <boost/asio/impl/src.hpp>
