// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A file of secrets that a person asked for: nobody but its owner may read it.
final class SecretFile: Sendable {
    private let descriptor: Int32
    private let path: String
    private let subject: String

    /// Makes the file, or takes the one that is there; not what is no file: a device, a pipe, a link
    /// that somebody else may have laid.
    ///
    /// - Parameter subject: what is in it, for errors.
    init(_ path: String, of subject: String) throws(ProgramFailure) {
        self.path = path
        self.subject = subject
        let flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
        descriptor = open(path, flags, 0o600)
        guard descriptor >= 0 else { throw Self.failure(errno, subject, path) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw ProgramFailure(
                .inputOutput,
                "\(TerminalText.escape(path)) is no file that \(subject) can be written to",
                advice: "give the name of a new file"
            )
        }
        guard fchmod(descriptor, 0o600) == 0 else {
            let code = errno
            close(descriptor)
            throw Self.failure(code, subject, path)
        }
    }

    deinit {
        close(descriptor)
    }

    /// Puts the text in the place of all that is in the file.
    func replace(with text: String) throws(ProgramFailure) {
        var rest = Array(text.utf8)[...]
        guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else {
            throw Self.failure(errno, subject, path)
        }
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure(errno, subject, path) }
            rest = rest.dropFirst(count)
        }
    }

    private static func failure(
        _ code: Int32,
        _ subject: String,
        _ path: String
    ) -> ProgramFailure {
        ProgramFailure(
            .inputOutput,
            "\(subject) cannot be written to \(TerminalText.escape(path)): "
                + String(cString: strerror(code)),
            advice: "give a file in a directory that you may write to"
        )
    }
}
