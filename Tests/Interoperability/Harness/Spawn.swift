// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(Darwin)
    private typealias FileActions = posix_spawn_file_actions_t?
    private typealias Attributes = posix_spawnattr_t?
#else
    private typealias FileActions = posix_spawn_file_actions_t
    private typealias Attributes = posix_spawnattr_t
#endif

/// Starts a process with the given standard input and output, and its standard error in a file.
///
/// It gets every signal's default action and blocks none: a test runner that was started in the
/// background ignores SIGINT, and its children would too.
func spawn(
    _ command: [String],
    environment: [String: String],
    input: Int32,
    output: Int32,
    log: String
) throws -> pid_t {
    var actions = FileActions()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_addopen(&actions, 2, log, O_WRONLY | O_CREAT | O_TRUNC, 0o600)

    var attributes = Attributes()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    var identifier: pid_t = 0
    let error = withCStrings(command) { arguments in
        withCStrings(environment.map { "\($0)=\($1)" }) { environment in
            posix_spawn(&identifier, command[0], &actions, &attributes, arguments, environment)
        }
    }
    guard error == 0 else { throw ProcessError.refused(call: "start \(command[0])", error: error) }
    return identifier
}

/// Lends the strings as a null-terminated array of C strings.
private func withCStrings<Value>(
    _ strings: [String],
    _ body: ([UnsafeMutablePointer<CChar>?]) -> Value
) -> Value {
    let copies = strings.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(copies + [nil])
}
