// SPDX-License-Identifier: Apache-2.0

import Foundation

#if !os(Linux)
    private typealias FileActions = posix_spawn_file_actions_t?
    private typealias Attributes = posix_spawnattr_t?
#else
    private typealias FileActions = posix_spawn_file_actions_t
    private typealias Attributes = posix_spawnattr_t
#endif

/// Starts a process with the given standard input, output and error.
func spawn(
    _ command: [String],
    environment: [String: String],
    input: Int32,
    output: Int32,
    errors: Int32
) throws -> pid_t {
    try spawn(command, environment: environment, flags: 0) { actions in
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, errors, 2)
    }
}

/// Starts a process at a terminal of its own, on which Ctrl-C interrupts it.
package func spawn(
    _ command: [String],
    environment: [String: String],
    terminal: String
) throws -> pid_t {
    try spawn(command, environment: environment, flags: newSession) { actions in
        // The first terminal that the leader of a session opens becomes its controlling terminal.
        posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
        for stream in [1, 2] as [Int32] { posix_spawn_file_actions_adddup2(&actions, 0, stream) }
    }
}

#if !os(Linux)
    private let newSession = Int16(POSIX_SPAWN_SETSID)
#else
    /// `POSIX_SPAWN_SETSID`, which is not part of the standard and therefore not visible here.
    private let newSession: Int16 = 0x80
#endif

/// Starts a process with the files that `prepare` gives it, and no others. Otherwise, a file that
/// another test has just opened, and has not yet marked close-on-exec, would stay open in the
/// process.
///
/// The process has every signal's default action and blocks none: a test runner that was started in
/// the background ignores SIGINT, and its children would inherit that.
private func spawn(
    _ command: [String],
    environment: [String: String],
    flags: Int16,
    files prepare: (inout FileActions) -> Void
) throws -> pid_t {
    var actions = FileActions()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    prepare(&actions)
    closeOthers(&actions)

    var attributes = Attributes()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    let signals = Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)
    posix_spawnattr_setflags(&attributes, signals | flags | closingOthers)

    var identifier: pid_t = 0
    let error = withCStrings(command) { arguments in
        withCStrings(environment.map { "\($0)=\($1)" }) { environment in
            posix_spawn(&identifier, command[0], &actions, &attributes, arguments, environment)
        }
    }
    guard error == 0 else { throw ProcessError.refused(call: "start \(command[0])", error: error) }
    return identifier
}

#if !os(Linux)
    private let closingOthers = Int16(POSIX_SPAWN_CLOEXEC_DEFAULT)
    private func closeOthers(_ actions: inout FileActions) {}
#else
    private let closingOthers: Int16 = 0
    /// The descriptors that a process might inherit are below this limit.
    private let descriptorLimit: Int32 = 4096

    /// Closes the descriptors from 3 to the limit. Linux's libraries skip those that are not open.
    private func closeOthers(_ actions: inout FileActions) {
        for other in 3..<descriptorLimit { posix_spawn_file_actions_addclose(&actions, other) }
    }
#endif

/// Passes the strings as a null-terminated array of C strings.
private func withCStrings<Value>(
    _ strings: [String],
    _ body: ([UnsafeMutablePointer<CChar>?]) -> Value
) -> Value {
    let copies = strings.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(copies + [nil])
}
