// SPDX-License-Identifier: Apache-2.0

#if !os(Linux)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The standard streams that were closed when the process started.
package enum ClosedStreams {
    /// Opens `/dev/null` in place of each closed stream. Otherwise, a file or a socket of the
    /// program gets the number of the stream, and receives the text for the stream.
    ///
    /// The input cannot be read and the output cannot be written, so a program that needs one of
    /// them fails as if the stream were still closed. Text for standard error is discarded. Call
    /// this before the process opens a file.
    package static func replace() {
        // `open` returns the lowest free number.
        for (stream, mode) in [
            (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_WRONLY),
        ] where fcntl(stream, F_GETFD) < 0 {
            _ = open("/dev/null", mode)
        }
    }
}
