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

@Suite struct SystemBluetoothTests {
    /// Returns the kernel's record of hci1 on a computer with a USB adapter.
    private func record(address: [UInt8], flags: UInt8, kind: UInt8) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 92)
        bytes.replaceSubrange(0..<6, with: [1, 0] + Array("hci1".utf8))
        bytes.replaceSubrange(10..<16, with: address)
        let word = withUnsafeBytes(of: UInt32(flags)) { Array($0) }
        bytes.replaceSubrange(16..<20, with: word)
        bytes[20] = kind
        return bytes
    }

    @Test("A record has the address, the bus, and whether the adapter is up")
    func reads() throws {
        let bytes = record(address: [1, 2, 3, 4, 5, 6], flags: 0x05, kind: 0x11)
        let up = try #require(SystemAdapterRecord(bytes))
        #expect(up.address?.value == 0x0605_0403_0201)
        #expect(up.isUp && up.bus == .usb)
        let down = SystemAdapterRecord(record(address: [9, 0, 0, 0, 0, 0], flags: 4, kind: 3))
        #expect(down?.isUp == false && down?.bus == .uart)
    }

    @Test("An adapter that is not set up has no address, and an unknown bus no name")
    func unknown() {
        let bytes = record(address: [0, 0, 0, 0, 0, 0], flags: 0, kind: 0x0F)
        let adapter = SystemAdapterRecord(bytes)
        #expect(adapter != nil && adapter?.address == nil && adapter?.bus == nil)
    }

    @Test("A truncated record is refused") func cut() {
        let bytes = record(address: [1, 2, 3, 4, 5, 6], flags: 1, kind: 1)
        for length in 0..<bytes.count {
            #expect(SystemAdapterRecord(Array(bytes.prefix(length))) == nil)
        }
    }

    @Test("An error distinguishes missing Bluetooth from missing permission")
    func refusals() {
        #expect(SystemBluetooth.support(after: EAFNOSUPPORT) == .missing)
        #expect(SystemBluetooth.support(after: EPROTONOSUPPORT) == .missing)
        #expect(SystemBluetooth.support(after: EPERM) == .forbidden)
        #expect(SystemBluetooth.support(after: EACCES) == .forbidden)
        guard case .unclear(let text) = SystemBluetooth.support(after: EMFILE) else {
            Issue.record("too many open files is no error of Bluetooth")
            return
        }
        #expect(!text.isEmpty)
    }
}
