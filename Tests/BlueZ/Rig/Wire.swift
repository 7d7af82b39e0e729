// SPDX-License-Identifier: Apache-2.0

import Foundation
import HCITransports
import ProcessTestSupport
import Synchronization

/// A wire between two sockets, each of which listens and calls nobody: the machine and a controller.
final class Wire: Sendable {
    private let ends: [Int32]
    private let threads = DispatchGroup()
    private let isCut = Mutex(false)

    /// Connects both ends, and begins to carry.
    init(from path: String, to specification: AdapterSpecification) throws {
        let machine = try connectedSocket(to: path)
        do {
            ends = [machine, try connectedSocket(to: specification)]
        } catch {
            close(machine)
            throw error
        }
        carry(from: ends[0], to: ends[1])
        carry(from: ends[1], to: ends[0])
    }

    deinit { cut() }

    /// Ends both connections.
    func cut() {
        let isFirst = isCut.withLock { isCut in
            defer { isCut = true }
            return !isCut
        }
        guard isFirst else { return }
        for end in ends { shutdown(end, Int32(SHUT_RDWR)) }
        threads.wait()
        for end in ends { close(end) }
    }

    /// Copies octets until one side ends, which then ends the other.
    private func carry(from source: Int32, to destination: Int32) {
        let threads = threads
        threads.enter()
        Thread.detachNewThread {
            Self.copy(from: source, to: destination)
            for end in [source, destination] { shutdown(end, Int32(SHUT_RDWR)) }
            threads.leave()
        }
    }

    private static func copy(from source: Int32, to destination: Int32) {
        var octets = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(source, &octets, octets.count, 0)
            guard count > 0 else { return }
            var rest = octets[..<count]
            while !rest.isEmpty {
                let sent = rest.withUnsafeBytes {
                    send(destination, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard sent > 0 else { return }
                rest = rest.dropFirst(sent)
            }
        }
    }
}

/// A socket that is connected to where a controller is.
private func connectedSocket(to specification: AdapterSpecification) throws -> Int32 {
    if case .unix(let path) = specification { return try connectedSocket(to: path) }
    if case .tcp(_, let port) = specification { return try connectedSocket(toLocalPort: port) }
    throw ProcessError.ended("\(specification) is no socket", log: "")
}

private func connectedSocket(toLocalPort port: UInt16) throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw ProcessError.refused(call: "socket", error: errno) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    var yes: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, size)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, length) }
    }
    guard result == 0 else {
        let error = errno
        close(descriptor)
        throw ProcessError.refused(call: "connect to port \(port)", error: error)
    }
    return descriptor
}
