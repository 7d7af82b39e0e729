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

@Suite("Serial errors")
struct SerialErrorTests {
    static let path = "/dev/ttyUSB3"

    @Test(
        "Each error contains its cause or a remedy",
        arguments: [
            (SerialError.noSuchDevice(path: path, present: []), "plugged in"),
            (.noSuchDevice(path: path, present: ["/dev/ttyUSB0"]), "there are /dev/ttyUSB0"),
            (.notATerminal(path: path), "is not a serial port"),
            (.permissionDenied(path: path, group: "dialout"), "sudo usermod -aG dialout $USER"),
            (.permissionDenied(path: path, group: nil), "ls -l \(path)"),
            (
                .inUse(path: path, by: [SystemProcess(number: 12, name: "screen")]),
                "in use by screen (process 12); stop it"
            ),
            (.inUse(path: path, by: []), "in use by another program"),
            (.usedByKernel(path: path), "stop btattach"),
            (.speedRefused(path: path, speed: 12_000_000, instead: 9_600), "the nearest is 9600"),
            (.noAnswer(path: path, speeds: [115_200, 921_600]), "at 115200 or 921600 bits"),
            (.noAnswer(path: path, speeds: [1_000_000]), "flow=none"),
            (.notSupported, "Linux"),
        ]
    )
    func remedies(error: SerialError, says: String) {
        #expect(error.description.contains(says))
        #expect(TransportError.serial(error).description == error.description)
        #expect(!error.description.hasSuffix("."))
    }

    @Test(
        "The system's errors are distinguished",
        arguments: [
            (ENOENT, SerialError.noSuchDevice(path: path, present: [])),
            (ENODEV, .noSuchDevice(path: path, present: [])),
            (ENXIO, .noSuchDevice(path: path, present: [])),
            (EACCES, .permissionDenied(path: path, group: nil)),
            (EPERM, .permissionDenied(path: path, group: nil)),
            (EBUSY, .inUse(path: path, by: [])),
            (EISDIR, .notATerminal(path: path)),
        ]
    )
    func refusals(code: Int32, error: SerialError) {
        switch (SerialPort.error(SystemError(code: code), opening: Self.path), error) {
        // The list of present ports depends on the machine.
        case (.noSuchDevice(Self.path, _), .noSuchDevice): break
        case (let found, _): #expect(found == error)
        }
    }

    @Test("The error names the group that may use a device")
    func group() throws {
        let path = temporaryPath("tty")
        let file = Descriptor(owning: open(path, O_CREAT | O_RDWR, 0o660))
        defer { unlink(path) }
        fchmod(file.number, 0o660)
        let group = try #require(getgrgid(getegid()))
        #expect(SerialPorts.group(of: path) == String(cString: group.pointee.gr_name))
        fchmod(file.number, 0o600)
        #expect(SerialPorts.group(of: path) == nil)
        #expect(SerialPorts.group(of: path + ".none") == nil)
    }

    @Test(
        "A group's name is found in the system's list",
        arguments: [(0, "root"), (20, "dialout"), (7, nil), (9, nil), (21, nil)]
            as [(UInt32, String?)]
    )
    func groupList(number: UInt32, name: String?) {
        let list = "root:x:0:\ndialout:x:20:ann,bob\n\n:x:7:\nbroken:x\nother:9:x:\n"
        #expect(SerialPorts.group(number, in: list) == name)
    }

    @Test(
        "Serial ports are recognized by the names of their devices",
        arguments: [
            ("ttyUSB0", true), ("ttyUSB12", true), ("ttyACM1", true), ("ttyAMA0", true),
            ("serial0", true), ("ttyS0", false), ("tty1", false), ("ttyUSB", false),
            ("ttyUSBx", false), ("serial", false), ("null", false),
        ]
    )
    func names(name: String, isPort: Bool) {
        #expect(SerialPorts.isSerialPort(name) == isPort)
    }
}
