// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProcessTestSupport

/// QEMU's monitor, which accepts JSON on a socket (QMP).
enum Monitor {
    /// Executes a command, and waits until it is done.
    static func perform(_ command: String, at path: String) async throws {
        try await onOwnThread {
            let deadline = Deadline.within(Limits.step)
            let socket = try connectedSocket(to: path)
            var lines = PipeReader(descriptor: socket)
            guard try lines.line(before: deadline) != nil else { throw refusal("greeting") }
            for command in ["qmp_capabilities", command] {
                try write(#"{"execute":"\#(command)"}"# + "\n", to: socket)
                try awaitReturn(of: command, from: &lines, before: deadline)
            }
        }
    }

    /// Reads until the answer arrives. Events may arrive before it.
    private static func awaitReturn(
        of command: String,
        from lines: inout PipeReader,
        before deadline: Deadline
    ) throws {
        while let line = try lines.line(before: deadline) {
            let value = try JSON(parsing: line)
            if value["return"] != .null { return }
            if value["error"] != .null { throw refusal("\(command): \(line)") }
        }
        throw refusal(command)
    }

    private static func refusal(_ what: String) -> ProcessError {
        .ended("the emulator's monitor did not execute the command: \(what)", log: "")
    }

    private static func write(_ text: String, to socket: Int32) throws {
        let bytes = Array(text.utf8)
        let count = bytes.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, 0) }
        guard count == bytes.count else {
            throw ProcessError.refused(call: "send", error: errno)
        }
    }
}

/// Returns a socket that is connected to a path.
func connectedSocket(to path: String) throws -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw ProcessError.refused(call: "socket", error: errno) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    let capacity = MemoryLayout.size(ofValue: address.sun_path)
    precondition(bytes.count < capacity, "the path of the socket is too long")
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let length = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, length) }
    }
    guard result == 0 else {
        let error = errno
        close(descriptor)
        throw ProcessError.refused(call: "connect to \(path)", error: error)
    }
    return descriptor
}
