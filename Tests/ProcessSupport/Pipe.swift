// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An error in the communication with a process that a test started.
package enum ProcessError: Error, CustomStringConvertible {
    /// A system call failed. The values are its name and its error.
    case refused(call: String, error: Int32)
    /// The event that the test awaited did not occur in time.
    case tooSlow(String)
    /// The process did not do what the test awaited. `log` is its output or its standard error, or
    /// empty.
    case ended(String, log: String)

    package var description: String {
        switch self {
        case .refused(let call, let error): "\(call): \(String(cString: strerror(error)))"
        case .tooSlow(let what): "timed out: \(what)"
        case .ended(let what, let log): "\(what); it wrote:\n\(log)"
        }
    }
}

/// Both ends of a pipe. A child process inherits only the ends that the test passes to it.
package struct PipeEnds {
    package let reading: Int32
    package let writing: Int32

    package init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw ProcessError.refused(call: "pipe", error: errno) }
        (reading, writing) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }
}

/// The reading end of a pipe. It reads lines or everything, but never for longer than a deadline.
package struct PipeReader: ~Copyable {
    package let descriptor: Int32
    private var unread: [UInt8] = []

    package init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Returns the next line without its end, or `nil` if the other side closed first.
    package mutating func line(before deadline: Deadline) throws -> String? {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread.removeSubrange(...end) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            guard try fill(before: deadline) else { return nil }
        }
    }

    /// Returns everything until the other side closes.
    package mutating func everything(before deadline: Deadline) throws -> String {
        while try fill(before: deadline) {}
        defer { unread = [] }
        return String(decoding: unread, as: UTF8.self)
    }

    /// Waits for more bytes. Returns `false` if there will be none.
    private mutating func fill(before deadline: Deadline) throws -> Bool {
        var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        switch poll(&watched, 1, deadline.milliseconds) {
        case 0: throw ProcessError.tooSlow("no output arrived")
        case ..<0 where errno != EINTR: throw ProcessError.refused(call: "poll", error: errno)
        case ..<0: return true
        default: break
        }
        var chunk = [UInt8](repeating: 0, count: 65536)
        let count = read(descriptor, &chunk, chunk.count)
        guard count >= 0 else { throw ProcessError.refused(call: "read", error: errno) }
        unread += chunk[..<count]
        return count > 0
    }
}
