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

    // `bluetooth.h` and `hci.h` of Linux, which the C library does not have.
    private static let addressFamily: Int32 = 31
    private static let hciProtocol: Int32 = 1
    /// `_IOR('H', 211, int)`, HCIGETDEVINFO.
    private static let deviceInformation: UInt = 0x8004_48D3

    /// Asks for a socket, and gives it back.
    package static var support: Support {
        #if os(Linux)
            do throws(SystemError) {
                _ = try makeSocket()
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
            guard let socket = try? makeSocket() else { return nil }
            var record = [UInt8](repeating: 0, count: SystemAdapterRecord.length)
            record[0] = UInt8(truncatingIfNeeded: index)
            record[1] = UInt8(truncatingIfNeeded: index >> 8)
            let result = record.withUnsafeMutableBytes { record -> Int32 in
                guard let place = record.baseAddress else { return -1 }
                return ioctl(socket.number, deviceInformation, place)
            }
            return result == 0 ? SystemAdapterRecord(record) : nil
        #else
            return nil
        #endif
    }

    #if os(Linux)
        private static func makeSocket() throws(SystemError) -> Descriptor {
            #if canImport(Glibc)
                let kind = Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue)
            #else
                let kind = SOCK_RAW | SOCK_CLOEXEC
            #endif
            let number = socket(addressFamily, kind, hciProtocol)
            guard number >= 0 else { throw .last }
            return Descriptor(owning: number)
        }
    #endif
}
