// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import LanyardCLI

@Suite struct SystemReaderTests {
    private func read(_ files: MadeUpTree) -> Surroundings {
        SystemReader(tree: files.tree, adapters: { [] }).read(kernel: .available)
    }

    @Test("A computer with nothing has nothing") func empty() throws {
        let found = read(try MadeUpTree())
        #expect(found.adapters.isEmpty && found.switches.isEmpty && found.daemons.isEmpty)
        #expect(found.serialPorts.isEmpty && found.mayTakeAdapters == nil)
    }

    @Test("Radio switches are read, those of Bluetooth only") func switches() throws {
        let files = try MadeUpTree()
        for (entry, type, soft, hard) in [
            ("rfkill0", "wlan", "1", "1"), ("rfkill1", "bluetooth", "1", "0"),
            ("rfkill2", "bluetooth", "0", "1"), ("rfkill3", "bluetooth", "0", "0"),
        ] {
            try files.write("/sys/class/rfkill/\(entry)/type", "\(type)\n")
            try files.write("/sys/class/rfkill/\(entry)/name", "hci-\(entry)\n")
            try files.write("/sys/class/rfkill/\(entry)/soft", "\(soft)\n")
            try files.write("/sys/class/rfkill/\(entry)/hard", "\(hard)\n")
        }
        let found = read(files).switches
        #expect(found.map(\.name) == ["hci-rfkill1", "hci-rfkill2", "hci-rfkill3"])
        #expect(found.map(\.isOffByWish) == [true, false, false])
        #expect(found.map(\.isOffByHardware) == [false, true, false])
    }

    @Test(
        "Whether adapters may be taken is bit 12 of the effective capabilities",
        arguments: [
            ("0000000000000000", false), ("0000000000001000", true),
            ("000001fffeffffff", true), ("000001ffffffefff", false), ("nonsense", nil),
        ] as [(String, Bool?)]
    )
    func capabilities(digits: String, expected: Bool?) throws {
        let files = try MadeUpTree()
        let status = "Name:\tlanyard\nCapPrm:\tffffffffffffffff\nCapEff:\t\(digits)\nSeccomp:\t0\n"
        try files.write("/proc/self/status", status)
        #expect(read(files).mayTakeAdapters == expected)
    }

    @Test("The daemon is found among the processes") func daemon() throws {
        let files = try MadeUpTree()
        try files.write("/proc/1/comm", "systemd\n")
        try files.write("/proc/842/comm", "bluetoothd\n")
        try files.write("/proc/900/comm", "bluetoothctl\n")
        try files.write("/proc/self/comm", "bluetoothd\n")
        #expect(read(files).daemons == [.init(number: 842, name: "bluetoothd")])
    }

    @Test("Serial ports are those that something is connected to, with its name") func ports()
        throws
    {
        let files = try MadeUpTree()
        let usb = "/sys/devices/pci/usb1/1-4"
        try files.write("\(usb)/product", "nRF52 Connectivity\n")
        try files.folder("\(usb)/1-4:1.0")
        try files.link("/sys/class/tty/ttyACM0/device", to: "\(usb)/1-4:1.0")
        try files.folder("/sys/class/tty/ttyS0/device")
        try files.write("/sys/class/tty/ttyS0/type", "4\n")
        try files.folder("/sys/class/tty/ttyS1/device")
        try files.write("/sys/class/tty/ttyS1/type", "0\n")
        try files.folder("/sys/class/tty/ttyS2")
        try files.folder("/sys/class/tty/tty7/device")
        let found = read(files).serialPorts
        #expect(found.map(\.path) == ["/dev/ttyACM0", "/dev/ttyS0"])
        #expect(found.map(\.product) == ["nRF52 Connectivity", nil])
    }

    @Test("Who holds a lock is in the kernel's list") func locks() throws {
        let files = try MadeUpTree()
        try files.write("/store/.lock", "")
        let attributes = try FileManager.default.attributesOfItem(
            atPath: files.root + "/store/.lock"
        )
        let inode = try #require(attributes[.systemFileNumber] as? Int)
        try files.write("/proc/4711/comm", "thermostat\n")
        let lines = [
            "1: POSIX  ADVISORY  WRITE 11 08:01:\(inode) 0 EOF",
            "2: FLOCK  ADVISORY  WRITE 12 08:01:9\(inode) 0 EOF",
            "3: FLOCK  ADVISORY  WRITE 4711 08:01:\(inode) 0 EOF", "nonsense",
        ]
        try files.write("/proc/locks", lines.joined(separator: "\n") + "\n")
        let reader = SystemReader(tree: files.tree)
        #expect(reader.holder(ofLock: "/store/.lock") == .init(number: 4711, name: "thermostat"))
        #expect(reader.holder(ofLock: "/store/other") == nil)
    }

    @Test("A file without end is read as far as need be") func endless() throws {
        let files = try MadeUpTree()
        try files.write("/proc/1/comm", String(repeating: "a", count: 200_000))
        #expect(files.tree.text("/proc/1/comm")?.count == SystemTree.lengthLimit)
    }
}
