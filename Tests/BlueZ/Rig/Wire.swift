// SPDX-License-Identifier: Apache-2.0

import Foundation
import HCITransports
import ProcessTestSupport
import Synchronization

/// A wire between the machine and a controller. Both only listen on a socket, so the wire connects
/// to each of them and copies the bytes in both directions.
final class Wire: Sendable {
    private let ends: [Int32]
    private let threads = DispatchGroup()
    private let isCut = Mutex(false)

    /// Connects to both ends, and begins to carry bytes.
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

    /// Closes both connections.
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

    /// Copies bytes until one side ends, and then ends the other side.
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
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(source, &bytes, bytes.count, 0)
            guard count > 0 else { return }
            var rest = bytes[..<count]
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

/// Returns a socket that is connected to a controller's address.
private func connectedSocket(to specification: AdapterSpecification) throws -> Int32 {
    guard case .unix(let path) = specification else {
        throw ProcessError.ended("\(specification) is not the path of a socket", log: "")
    }
    return try connectedSocket(to: path)
}
