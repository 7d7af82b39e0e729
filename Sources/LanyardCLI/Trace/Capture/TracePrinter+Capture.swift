// SPDX-License-Identifier: Apache-2.0

import Foundation

// Sniffers' captures.
extension TracePrinter {
    /// The longest capture in bytes. The file is read as a whole.
    private static let lengthLimit = 1 << 30

    /// Returns whether the file at `path` begins like a capture; `false` for a pipe, which could
    /// not be read again from its beginning.
    static func isCapture(_ path: String) -> Bool {
        let resolved = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let attributes = try? FileManager.default.attributesOfItem(atPath: resolved)
        guard attributes?[.type] as? FileAttributeType == .typeRegular,
            let file = FileHandle(forReadingAtPath: path)
        else { return false }
        defer { try? file.close() }
        return Pcap.isPcap((try? file.read(upToCount: 4)) ?? Data())
    }

    /// Prints the capture at `path`. Packets before a fault are printed, and the fault is thrown.
    func print(capture path: String, keys: [ExportedKey]) throws {
        let name = TerminalText.escape(path)
        let bytes = try contents(path, name)
        var file: Pcap
        do throws(Pcap.Failure) {
            file = try Pcap(bytes)
        } catch {
            throw Self.failure(error, name)
        }
        var decoder = CaptureDecoder(keys: keys)
        var output = BufferedOutput(self)
        let end = Result {
            while let record = try file.next() {
                try Task.checkCancellation()
                let packet = AirPacket(record, file.linkType)
                try output.print(packet.flatMap { decoder.decode($0) }, at: record.microseconds)
            }
        }
        try output.flush()
        do { try end.get() } catch let error as Pcap.Failure { throw Self.failure(error, name) }
    }

    private func contents(_ path: String, _ name: String) throws(ProgramFailure) -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ProgramFailure(.inputOutput, "\(name) cannot be read", advice: "check the path")
        }
        guard data.count <= Self.lengthLimit else {
            throw ProgramFailure(.badData, "\(name) is too long", advice: "cut it with editcap")
        }
        return [UInt8](data)
    }

    private static func failure(_ error: Pcap.Failure, _ name: String) -> ProgramFailure {
        switch error {
        case .notPcap:
            ProgramFailure(.badData, "\(name) is not a capture", advice: "give a pcap file")
        case .unknownLinkType(let number):
            ProgramFailure(
                .badData,
                "\(name) holds packets of link type \(number), not of Bluetooth LE",
                advice: "capture with link type 251 or 256; convert others with Wireshark"
            )
        case .torn(let offset):
            ProgramFailure(
                .badData,
                "\(name) ends within the packet at offset \(offset)",
                advice: "all packets before it are printed"
            )
        }
    }
}
