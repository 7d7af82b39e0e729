// SPDX-License-Identifier: Apache-2.0

#if !os(Linux)
    import Darwin
    private typealias FileActions = posix_spawn_file_actions_t?
    private typealias Attributes = posix_spawnattr_t?
#elseif canImport(Glibc)
    import Glibc
    private typealias FileActions = posix_spawn_file_actions_t
    private typealias Attributes = posix_spawnattr_t
#elseif canImport(Musl)
    import Musl
    private typealias FileActions = posix_spawn_file_actions_t
    private typealias Attributes = posix_spawnattr_t
#endif

/// The program `lanyard-gateway`, which connects to gateways.
struct GatewayProgram: Sendable {
    /// The environment variable that names the program's file.
    static let variable = "LANYARD_GATEWAY"
    private static let name = "lanyard-gateway"

    let path: String

    /// Finds the program: the file that the environment names, or else the one in `PATH`.
    init() {
        path = getenv(Self.variable).map { String(cString: $0) } ?? Self.name
    }

    init(path: String) {
        self.path = path
    }

    /// Starts the program with a socket as its standard input and output. Its standard error is
    /// that of this process.
    ///
    /// - Returns: This process's end of the socket. The program ends when that end is closed.
    func start(
        _ arguments: [String],
        name transport: String
    ) throws(TransportError) -> Descriptor {
        let (own, other): (Descriptor, Descriptor)
        do throws(SystemError) {
            (own, other) = try Descriptor.makeSocketPair(kind: SocketKind.stream)
        } catch {
            throw error.transportError("make a socket for", name: transport)
        }
        own.makeStreamSocketReady()
        #if !os(Linux)
            _ = fcntl(other.number, F_SETFD, FD_CLOEXEC)
        #endif
        let code = run(arguments, on: other)
        guard code == 0 else {
            throw .gateway(
                transport,
                reason: code == ENOENT
                    ? "the program \(path) was not found; install it, or set \(Self.variable)"
                    : "the program \(path) cannot be started: \(String(cString: strerror(code)))"
            )
        }
        return own
    }

    /// Starts the program. Returns zero, or the error of the system.
    private func run(_ arguments: [String], on socket: Descriptor) -> Int32 {
        var actions = FileActions()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, socket.number, 0)
        posix_spawn_file_actions_adddup2(&actions, socket.number, 1)
        var attributes = Attributes()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The program has a process group of its own. Ctrl-C at the terminal therefore reaches only
        // this process, which then closes the connection in order.
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        var copies = ([path] + arguments).map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        copies.append(nil)
        var process: pid_t = 0
        let code = posix_spawnp(&process, path, &actions, &attributes, copies, environ)
        guard code == 0 else { return code }
        // The system keeps an entry of an ended process until its parent has waited for it.
        let started = process
        SystemThread {
            var status: Int32 = 0
            while waitpid(started, &status, 0) < 0, errno == EINTR {}
        }?.detach()
        return 0
    }
}
