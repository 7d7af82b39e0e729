// SPDX-License-Identifier: Apache-2.0

import Foundation
import HCITransports
import Lanyard
import Testing

@testable import LanyardCLI

@Suite("The command lanyard timeline")
final class TimelineCommandTests {
    private let folder = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString)"

    init() throws {
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: false
        )
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func file(_ name: String, _ content: [UInt8]) throws -> String {
        try Data(content).write(to: URL(fileURLWithPath: folder + "/" + name))
        return folder + "/" + name
    }

    private func contents(of paths: String...) throws -> [Data] {
        try paths.map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
    }

    private func recording() throws -> String {
        let recording = FlightRecording(events: [
            FlightEvent(time: .seconds(1), device: "strap", lane: .state, text: "ready")
        ])
        return try file("flight.jsonl", Array(recording.jsonLines.utf8))
    }

    private func run(_ arguments: [String]) async -> (ProcessStatus, output: String) {
        let output = ScriptedAccessory.Recorder()
        let console = Console(
            isOutputTerminal: false,
            isRemarkTerminal: false,
            size: { Console.Size(columns: 80, rows: 24) },
            write: { output.note($0) },
            remark: { output.note($0) }
        )
        return (
            await ProgramRun.run(["timeline"] + arguments, on: console),
            output.lines.joined()
        )
    }

    @Test("The page has a recording and its packet logs")
    func makesPage() async throws {
        var log = Btsnoop.header
        let reset: [UInt8] = [1, 3, 0x0C, 0]
        Btsnoop.append(
            Btsnoop.Record(microsecondsSince1970: 9, direction: .sent, packet: reset[...]),
            to: &log
        )
        let page = folder + "/page.html"
        let (status, output) = await run([
            try recording(), try file("0-phone.btsnoop", log), "-o", page, "--title", "A day",
        ])
        #expect(status == .success)
        #expect(output.hasSuffix("page.html: 2 events of 3 devices, to be opened in a browser\n"))
        let html = try String(contentsOfFile: page, encoding: .utf8)
        #expect(html.contains(#""title":"A day""#))
        #expect(html.contains(#""devices":["Central","strap","phone"]"#))
        #expect(html.contains(#""texts":["Reset","01030c00","ready"]"#))
    }

    @Test(
        "The device of a log is named after the file",
        arguments: [
            ("/a/3-phone.btsnoop", "phone"), ("strap.log", "strap"), ("7-a-b.btsnoop", "a-b"),
            ("my-phone.btsnoop", "my-phone"), ("/x/12", "12"),
        ]
    )
    func namesDevices(path: String, name: String) {
        #expect(TimelineCommand.deviceName(ofLog: path) == name)
    }

    @Test("Without the option -o, the page is written beside the recording")
    func defaultPlace() async throws {
        let (status, output) = await run([try recording()])
        #expect(status == .success && output.contains("flight.html: "))
        #expect(FileManager.default.fileExists(atPath: folder + "/flight.html"))
        let log = try file("packets.btsnoop", Btsnoop.header)
        let (wrong, message) = await run([log])
        #expect(wrong == .usage && message.contains("is a packet log, not a recording"))
        #expect(!FileManager.default.fileExists(atPath: log + ".html"))
    }

    @Test("The page does not replace the recording or a log, under any of their names")
    func keepsInput() async throws {
        let recording = try recording()
        let log = try file("phone.btsnoop", Btsnoop.header)
        let link = folder + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: log)
        for page in [recording, folder + "/./flight.jsonl", log, link] {
            let before = try contents(of: recording, log)
            let (status, output) = await run([recording, log, "-o", page])
            #expect(status == .usage && output.contains("the page would replace"), "\(output)")
            #expect(try contents(of: recording, log) == before)
        }
    }

    @Test("An invalid or missing file is reported, and an invalid line with its number")
    func faults() async throws {
        let page = folder + "/page.html"
        let torn = try file("torn.jsonl", Array((FlightRecording().jsonLines + "{}\n").utf8))
        var (status, output) = await run([torn, "-o", page])
        #expect(
            status == .badData && output.contains("is not valid at line 2: this is not an event")
        )
        (status, output) = await run([try file("x", [1, 2]), "-o", page])
        #expect(status == .badData && output.contains("does not begin like a recording"))
        (status, output) = await run([folder + "/none", "-o", page])
        #expect(status == .inputOutput)
        (status, output) = await run([try recording(), folder + "/none", "-o", page])
        #expect(status == .inputOutput && output.contains("no such file"))
        (status, output) = await run([try recording(), "-o", folder + "/none/page.html"])
        #expect(status == .inputOutput && output.contains("cannot be written"))
        #expect(!FileManager.default.fileExists(atPath: page))
    }
}
