// SPDX-License-Identifier: Apache-2.0

import Foundation

// Messages about a path that names another kind of file than the command reads.
extension ProgramFailure {
    /// Returns the failure for a directory, with a file in it as advice; `nil` if the path does not
    /// name a directory.
    ///
    /// - Parameters:
    ///   - wanted: The kind of file that the command reads.
    ///   - suffix: The end of the names of such files.
    static func directory(
        _ path: String,
        instead wanted: String,
        suffix: String
    ) -> ProgramFailure? {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory),
            isDirectory.boolValue
        else { return nil }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        let file = names.filter { $0.hasSuffix(suffix) }.min()
        let place = path.hasSuffix("/") ? path : path + "/"
        return .usage(
            "\(TerminalText.escape(path)) is a directory, not \(wanted)",
            advice: file.map { "it contains \(TerminalText.escape(place + $0))" } ?? "name a file"
        )
    }

    /// Returns the failure for a file that is a pcapng capture or may be the recording of a
    /// FlightRecorder; `nil` if it does not begin as one of them.
    static func otherFile(_ path: String) -> ProgramFailure? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard attributes?[.type] as? FileAttributeType == .typeRegular,
            let file = FileHandle(forReadingAtPath: path)
        else { return nil }
        defer { try? file.close() }
        let name = TerminalText.escape(path)
        let head = (try? file.read(upToCount: PcapngWriter.magic.count)) ?? Data()
        guard !head.elementsEqual(PcapngWriter.magic) else {
            return .usage(
                "\(name) is a pcapng file",
                advice: "convert it with 'editcap -F pcap \(name) CAPTURE'"
            )
        }
        guard head.first == UInt8(ascii: "{") else { return nil }
        return .usage(
            "\(name) is not a packet log",
            advice: "if it is the recording of a FlightRecorder, use "
                + "'lanyard timeline \(name) -o PAGE'"
        )
    }
}
