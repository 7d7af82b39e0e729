// SPDX-License-Identifier: Apache-2.0

#if !os(Linux)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Queries of the Linux kernel's Bluetooth support, which do not affect any adapter.
package enum SystemBluetooth {
    /// The kernel's support for Bluetooth sockets.
    package enum Support: Hashable, Sendable {
        /// The kernel supports them.
        case available
        /// The kernel was built without support, the module is not loaded, or the process runs in
        /// the network namespace of a container, where Bluetooth is not supported.
        case missing
        /// The process may not create such sockets, for example in a sandbox.
        case forbidden
        /// The kernel refused for another reason, which the text describes.
        case unclear(String)
    }

    /// The kernel, or `nil` on systems other than Linux.
    static var kernel: (any BluetoothKernel)? {
        #if os(Linux)
            LinuxKernel()
        #else
            nil
        #endif
    }

    /// The kernel's support for Bluetooth sockets. Each access creates a socket as a test, and
    /// closes it.
    package static var support: Support {
        #if os(Linux)
            do throws(SystemError) {
                _ = try LinuxKernel.makeSocket()
                return .available
            } catch {
                return support(after: error.code)
            }
        #else
            return .missing
        #endif
    }

    /// Returns the kernel's support according to the error of a socket that could not be created.
    static func support(after error: Int32) -> Support {
        switch error {
        case EAFNOSUPPORT, EPROTONOSUPPORT, ESOCKTNOSUPPORT: .missing
        case EPERM, EACCES: .forbidden
        default: .unclear(String(cString: strerror(error)))
        }
    }
}
