// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HCITransports

#if !os(Linux)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The kinds of joined sockets.
enum SocketKind: CaseIterable, CustomTestStringConvertible, Sendable {
    case tcp, unix

    var testDescription: String {
        switch self {
        case .tcp: "TCP"
        case .unix: "Unix"
        }
    }
}

/// Returns a path in the temporary directory that no other test uses.
func temporaryPath(_ suffix: String = "sock") -> String {
    let number = UInt64.random(in: .min ... .max)
    return "/tmp/hci-\(String(number, radix: 36)).\(suffix)"
}

/// Leaves a socket file behind that has no listener.
func leaveSocketFile(at path: String) throws {
    let listener = try Descriptor.listeningSocket(at: SocketAddress(path: path))
    // Shut down and not only closed: a process that another test is forking may hold the descriptor
    // for a moment.
    shutdown(listener.number, Int32(SHUT_RDWR))
}

/// Two joined transports over real sockets: `near` has connected and is open, `far` was accepted
/// and is not open yet.
struct SocketPair: Sendable {
    let near: any HCITransport
    let far: any HCITransport
    let nearLog: Recorder
    let farLog = Recorder()
    let executor: AdapterExecutor

    static func join(_ kind: SocketKind, on executor: AdapterExecutor) async throws -> SocketPair {
        let accepted = Promise<any HCITransport>()
        let log = Recorder()
        let near: any HCITransport
        switch kind {
        case .tcp:
            let server = TCPServer()
            let port = try await server.start(on: executor) { accepted.fulfil($0) }
            near = TCPTransport(host: "localhost", port: port)
            try await near.open(on: executor, receive: log.receive)
            _ = await accepted.value
            await server.stop()
        case .unix:
            let server = UnixServer(path: temporaryPath())
            try await server.start(on: executor) { accepted.fulfil($0) }
            near = UnixTransport(path: server.path)
            try await near.open(on: executor, receive: log.receive)
            _ = await accepted.value
            await server.stop()
        }
        let far = await accepted.value
        return SocketPair(near: near, far: far, nearLog: log, executor: executor)
    }

    /// Opens the far end.
    func openFar() async throws {
        try await far.open(on: executor, receive: farLog.receive)
    }

    /// Closes both ends, and waits until the near end has reported that it is closed.
    func close() async {
        await executor.run { [near, far] in
            near.close()
            far.close()
        }
        _ = await nearLog.waitForClosing()
    }
}
