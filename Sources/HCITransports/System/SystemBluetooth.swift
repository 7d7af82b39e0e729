// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What the Linux kernel says of Bluetooth when it is asked, without touching any adapter.
package enum SystemBluetooth {
    /// Whether the kernel knows Bluetooth sockets.
    package enum Support: Hashable, Sendable {
        /// It does.
        case available
        /// It was built without, or the module is not loaded, or the network namespace is a
        /// container's, which has none.
        case missing
        /// It may, but this process is kept from asking: a sandbox does that.
        case forbidden
        /// It refused in a way that says neither; the text says how.
        case unclear(String)
    }

    /// The kernel; nil where it is not Linux.
    static var kernel: (any BluetoothKernel)? {
        #if os(Linux)
            LinuxKernel()
        #else
            nil
        #endif
    }

    /// Asks for a socket, and gives it back.
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

    /// What it means that there was no socket.
    static func support(after error: Int32) -> Support {
        switch error {
        case EAFNOSUPPORT, EPROTONOSUPPORT, ESOCKTNOSUPPORT: .missing
        case EPERM, EACCES: .forbidden
        default: .unclear(String(cString: strerror(error)))
        }
    }

    /// What the kernel knows of the adapter `hci<index>`; nil if it does not tell.
    package static func adapter(_ index: UInt16) -> SystemAdapterRecord? {
        #if os(Linux)
            try? LinuxKernel().record(of: index)
        #else
            nil
        #endif
    }
}
