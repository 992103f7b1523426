// Where a database is: a file, or a PostgreSQL server.
#pragma once

#include <string>

namespace nsop::store {

// Is it a server's: `postgresql://…`, `postgres://…`, `service=NAME` of a connection service file
// (https://www.postgresql.org/docs/15/libpq-pgservice.html) or other settings of libpq's, `host=…
// dbname=…`? Also whatever looks like one, wrongly written, so that connection_string() refuses it
// without saying its password. A path that begins with `/`, `./` or `../` is a file's.
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

// `text` without the passwords of any address that it quotes, say of a word on the command line
// that was none: `USER:…@` of a URL and `password=…`.
std::string without_passwords(std::string text);

}  // namespace nsop::store
