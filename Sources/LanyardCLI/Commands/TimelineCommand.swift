// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import HCITransports
import Lanyard

struct TimelineCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "timeline",
        abstract: "Make a web page with the timeline of a recording.",
        discussion: """
            The recording is a file that an app wrote from its FlightRecorder (recording.jsonLines). \
            Packet logs of the same period, as --trace writes them, appear beside it under their file \
            names. The page works in a browser without a network.
            """
    )

    @Argument(
        help: ArgumentHelp("The recording of a FlightRecorder, as JSON lines."),
        completion: .file(extensions: ["jsonl"])
    )
    var recording: String

    @Argument(
        help: ArgumentHelp("Packet logs, as btsnoop files.", valueName: "log"),
        completion: .file()
    )
    var logs: [String] = []

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The page to write. The default is beside the recording: flight.html for flight.jsonl.",
            valueName: "file.html"
        ),
        completion: .file(extensions: ["html"])
    )
    var output: String?

    @Option(help: "The title of the page.")
    var title = "Accessories on one timeline"

    func run(on console: Console) async throws {
        let output = output ?? Self.page(of: recording)
        try TimelinePage.checkPlace(output, besides: [recording] + logs)
        var timeline = Timeline(title: title)
        timeline.add(try Self.read(recording), central: "Central")
        for log in logs {
            do {
                let name = Self.deviceName(ofLog: log)
                try timeline.addPackets(ofLog: log, device: name, zero: timeline.start)
            } catch {
                throw TracePrinter.failure(error, log)
            }
        }
        timeline.fit()
        try TimelinePage(timeline: timeline).write(to: output)
        try console.print("\(TerminalText.escape(output)): \(timeline.summary)")
    }

    private static func read(_ path: String) throws(ProgramFailure) -> FlightRecording {
        let file = JSONFile(subject: "recording", manual: "the documentation of FlightRecorder")
        if let failure = ProgramFailure.directory(path, instead: "a recording", suffix: ".jsonl") {
            throw failure
        }
        let bytes = try file.bytes(of: path, limit: lengthLimit)
        guard !bytes.starts(with: Array("btsnoop".utf8)) else {
            let name = TerminalText.escape(path)
            throw .usage(
                "\(name) is a packet log, not a recording",
                advice: "'lanyard trace \(name)' prints it, and "
                    + "'lanyard timeline RECORDING \(name) -o PAGE' shows it beside a recording"
            )
        }
        guard let text = TerminalText.text(utf8: bytes) else {
            throw file.invalidText(path)
        }
        do throws(FlightRecording.Failure) {
            return try FlightRecording(jsonLines: text)
        } catch {
            throw file.wrong(path, RecordingFailure(cause: error))
        }
    }

    /// Returns the path of the page for a recording if `--output` is not given.
    static func page(of recording: String) -> String {
        let suffix = ".jsonl"
        let stem = recording.hasSuffix(suffix) ? recording.dropLast(suffix.count) : recording[...]
        return "\(stem).html"
    }

    /// The maximum length of a recording in bytes.
    private static let lengthLimit = 64 << 20

    /// Returns the file's name without its extension and without the number that `--trace` puts in
    /// front.
    static func deviceName(ofLog path: String) -> String {
        let name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
        let parts = name.split(separator: "-", maxSplits: 1)
        guard parts.count == 2, parts[0].allSatisfy(\.isNumber) else { return name }
        return String(parts[1])
    }
}

/// A fault in a recording.
struct RecordingFailure: LocatedError, Equatable {
    let cause: FlightRecording.Failure

    var place: String {
        if case .malformedLine(let line) = cause { "line \(line)" } else { "" }
    }

    var problem: String {
        switch cause {
        case .unknownFormat: "it does not begin like a recording of this version"
        case .malformedLine: "this is not an event"
        case .tooLong: "it has more than \(FlightRecording.eventLimit) events"
        }
    }
}

extension TimelinePage {
    /// Checks that the page can be written to a file at this path, before the work for it begins.
    ///
    /// - Parameter inputs: The files that the page shows, and must not replace.
    static func checkPlace(_ path: String, besides inputs: [String] = []) throws(ProgramFailure) {
        let name = TerminalText.escape(path)
        guard !inputs.contains(where: { isSameFile($0, path) }) else {
            throw .usage(
                "the page would replace \(name), which it shows",
                advice: "give --output another file"
            )
        }
        var isDirectory: ObjCBool = false
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        if FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) {
            guard isDirectory.boolValue else {
                guard FileManager.default.isWritableFile(atPath: path) else { throw failure(path) }
                return
            }
            throw ProgramFailure(
                .inputOutput,
                "the page \(name) cannot be written: it is a directory",
                advice: "name a file in it: \(name)/timeline.html"
            )
        }
        guard FileManager.default.isWritableFile(atPath: folder) else { throw failure(path) }
    }

    /// Returns whether both paths lead to the same regular file.
    private static func isSameFile(_ path: String, _ other: String) -> Bool {
        var (one, two) = (stat(), stat())
        guard stat(path, &one) == 0, stat(other, &two) == 0 else { return false }
        return one.st_mode & S_IFMT == S_IFREG && one.st_dev == two.st_dev
            && one.st_ino == two.st_ino
    }

    private static func failure(_ path: String) -> ProgramFailure {
        ProgramFailure(
            .inputOutput,
            "the page \(TerminalText.escape(path)) cannot be written",
            advice: "check that its directory exists, you may write there, and the disk is not full"
        )
    }

    /// Writes the page. Throws `ProgramFailure` if it cannot.
    ///
    /// A regular file is replaced when the page is complete, and keeps its permissions, unless its
    /// directory does not permit that. A pipe or a device is written to.
    func write(to path: String) throws(ProgramFailure) {
        let place = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        let folder = place.deletingLastPathComponent()
        let files = FileManager.default
        let present = try? files.attributesOfItem(atPath: place.path)
        let type = present?[.type] as? FileAttributeType
        do {
            guard [nil, .typeRegular].contains(type), files.isWritableFile(atPath: folder.path)
            else { return try WaitingCall.perform { try Data(html.utf8).write(to: place) } }
            let draft = folder.appendingPathComponent(".lanyard-\(UUID().uuidString).html")
            defer { try? files.removeItem(at: draft) }
            let permissions = present?.filter { $0.key == .posixPermissions }
            _ = files.createFile(atPath: draft.path, contents: nil, attributes: permissions)
            try Data(html.utf8).write(to: draft)
            guard rename(draft.path, place.path) == 0 else { throw Self.failure(path) }
        } catch {
            throw Self.failure(path)
        }
    }
}

extension Timeline {
    /// The number of events and devices, in a few words.
    var summary: String {
        let events = events.count == 1 ? "1 event" : "\(events.count) events"
        let devices = devices.count == 1 ? "1 device" : "\(devices.count) devices"
        return "\(events) of \(devices), to be opened in a browser"
    }
}
