// Where a database is: a file, or a PostgreSQL server.
#pragma once

#include <string>

namespace nsop::store {

// Is it a server's: `postgresql://…`, `postgres://…`, or `service=NAME` of a connection service
// file (https://www.postgresql.org/docs/15/libpq-pgservice.html)?
bool is_server(const std::string& address);

// As messages name it: a file's path, or a server without its password and parameters.
std::string shown_address(const std::string& address);

// Does it have a password in it?
bool has_secret(const std::string& address);

// For libpq, with a limit of ten seconds to connect unless it or PGCONNECT_TIMEOUT says another.
// Throws Error (usage) for an address that libpq can't read.
std::string connection_string(const std::string& address);

// `text`, first line only, without any secret of `address`.
std::string without_secrets(const std::string& text, const std::string& address);

}  // namespace nsop::store
