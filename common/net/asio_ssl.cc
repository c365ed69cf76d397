// The one translation unit that holds the function bodies of Asio's TLS.
#include <boost/asio/ssl/impl/src.hpp>
