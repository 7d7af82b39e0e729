// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

import enum LanyardTestSupport.RunSeed

@testable import HCITransports

@Suite("Serial line")
struct SerialLineTests {
    private static func line(
        _ path: String,
        _ speed: Int,
        change: (inout SerialLine) -> Void = { _ in }
    ) -> SerialLine {
        var line = SerialLine(path: path, speed: speed)
        change(&line)
        return line
    }

    static let lines: [(text: String, line: SerialLine)] = [
        ("/dev/ttyUSB0@1000000", line("/dev/ttyUSB0", 1_000_000)),
        (
            "/dev/ttyAMA0@3000000,flow=none",
            line("/dev/ttyAMA0", 3_000_000) { $0.flowControl = .none }
        ),
        (
            "/dev/ttyS1@921600,vendor=ti",
            line("/dev/ttyS1", 921_600) {
                $0.vendor = .ti
                $0.startSpeed = 115_200
            }
        ),
        (
            "/dev/ttyS1@921600,start=115200",
            line("/dev/ttyS1", 921_600) { $0.startSpeed = 115_200 }
        ),
        (
            "/dev/ttyS1@921600,flow=none,vendor=broadcom,start=9600",
            line("/dev/ttyS1", 921_600) {
                $0.flowControl = .none
                $0.vendor = .broadcom
                $0.startSpeed = 9_600
            }
        ),
        // Devices with an at sign in their name: the last at sign comes before the speed.
        ("/dev/a@b@57600", line("/dev/a@b", 57_600)),
    ]

    @Test("A printed line is read again", arguments: lines)
    func reads(text: String, line: SerialLine) throws {
        #expect(try SerialLine(text[...]) == line)
        #expect(line.description == "serial:" + text)
    }

    @Test("The defaults are a usual speed, flow control, and no change of speed")
    func defaults() throws {
        let line = try SerialLine("/dev/ttyUSB0")
        #expect(line.speed == 115_200)
        #expect(line.flowControl == .hardware)
        #expect(line.startSpeed == nil)
        #expect(line.vendor == nil)
        #expect(line.description == "serial:/dev/ttyUSB0@115200")
    }

    @Test("The options may have any order")
    func order() throws {
        let one = try SerialLine("/dev/x@1000000,start=9600,vendor=st,flow=none")
        let other = try SerialLine("/dev/x@1000000,flow=none,vendor=st,start=9600")
        #expect(one == other)
    }

    @Test("Every vendor has a name", arguments: SerialVendor.allCases)
    func vendors(vendor: SerialVendor) throws {
        let text = "/dev/x@1000000,vendor=\(vendor.rawValue)"
        #expect(try SerialLine(text[...]).vendor == vendor)
    }

    static let mistakes: [(text: String, problem: SerialLine.Problem, says: String)] = [
        ("", .noDevice, "/dev/ttyUSB0"),
        ("@115200", .noDevice, "/dev/ttyUSB0"),
        (",flow=none", .noDevice, "/dev/ttyUSB0"),
        ("/dev/x@", .badSpeed(""), "9600"),
        ("/dev/x@fast", .badSpeed("fast"), "'fast'"),
        ("/dev/x@-9600", .badSpeed("-9600"), "9600"),
        ("/dev/x@+9600", .badSpeed("+9600"), "9600"),
        ("/dev/x@9599", .badSpeed("9599"), "12000000"),
        ("/dev/x@12000001", .badSpeed("12000001"), "12000000"),
        ("/dev/x@99999999999999999999", .badSpeed("99999999999999999999"), "9600"),
        ("/dev/x@9600,", .badOption(""), "flow="),
        ("/dev/x@9600,flow", .badOption("flow"), "vendor="),
        ("/dev/x@9600,parity=even", .badOption("parity=even"), "'parity=even'"),
        ("/dev/x@9600,flow=none,flow=none", .badOption("flow=none"), "once"),
        (
            "/dev/x@9600,flow=xon", .badValue(option: "flow", accepted: "hardware, none"),
            "hardware, none"
        ),
        (
            "/dev/x@9600,vendor=realtek",
            .badValue(option: "vendor", accepted: "broadcom, ti, qualcomm, intel, nxp, st"),
            "broadcom"
        ),
        ("/dev/x@9600,start=1", .badSpeed("1"), "9600"),
    ]

    @Test("An error names the mistake and the accepted forms", arguments: mistakes)
    func refuses(text: String, problem: SerialLine.Problem, says: String) {
        #expect(throws: problem) { try SerialLine(text[...]) }
        #expect(problem.description.contains(says))
    }

    @Test("Any text is either read or refused", arguments: RunSeed.seeds(1))
    func anyText(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let alphabet = Array("serial:/dev/@0123456789,=flowvendstar ")
        for _ in 0..<5_000 {
            let length = Int.random(in: 0..<30, using: &random)
            let text = String(
                (0..<length).compactMap { _ in alphabet.randomElement(using: &random) }
            )
            guard let line = try? SerialLine(text[...]) else { continue }
            #expect(SerialLine.speeds.contains(line.speed))
            #expect(!line.path.isEmpty)
        }
    }
}
