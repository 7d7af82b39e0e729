// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import HCITransports
import VirtualRadio

/// Writes what passes between the controllers of a world and their hosts, as packet logs that
/// Wireshark opens: one for each controller, in the time of the world.
///
/// Belongs to the world's thread. A log that cannot be written stops nothing: see `failure`.
final class WorldTrace {
    /// How many logs there may be at a time; each holds a file open.
    static let fileLimit = 512

    /// The log of one controller.
    private struct Log {
        let file: TraceFile
        /// What the host has sent and is not yet a whole packet.
        var deframer = H4Deframer()
        var isDirty = false
    }

    /// Why a log is not whole, if one is not.
    private(set) var failure: TransportError?
    /// Whether it is worth trying: not in a directory that does not take them.
    private var canMakeFiles = true
    private let directory: String
    private let microsecondsAtZero: Int64
    private let fileLimit: Int
    private var logs: [String: Log] = [:]

    /// Logs into the directory, which must be there.
    ///
    /// - Parameter microsecondsAtZero: When the time of the world began, since 1970.
    init(directory: String, microsecondsAtZero: Int64 = 0, fileLimit: Int = fileLimit) {
        self.directory = directory
        self.fileLimit = fileLimit
        self.microsecondsAtZero = microsecondsAtZero
    }

    /// Notes all that passes in the world from now on.
    func observe(_ world: World) {
        world.observe { [self, unowned world] packet in
            note(packet, label: world.name(of: packet.controller))
        }
    }

    /// Notes a packet of the controller that has the label.
    private func note(_ packet: PassedPacket, label: String) {
        let name = Self.fileName(packet.controller, label: label)
        guard var log = logs[name] ?? open(name) else { return }
        switch packet.direction {
        case .toHost: append(packet.bytes[...], .received, at: packet.instant, &log)
        case .toController: noteFromHost(packet, &log)
        }
        logs[name] = log
    }

    /// Writes what was gathered.
    func flush() {
        for name in logs.keys where logs[name]?.isDirty == true {
            logs[name]?.file.flush()
            logs[name]?.isDirty = false
            failure = failure ?? logs[name]?.file.failure
        }
    }

    /// Closes the log of a controller that is about to leave the world.
    func close(_ controller: ControllerID, label: String) {
        logs[Self.fileName(controller, label: label)] = nil
    }

    /// The number and, as far as it can be part of a file name, the label: `3-phone.btsnoop`.
    static func fileName(_ controller: ControllerID, label: String) -> String {
        let plain = label.unicodeScalars.prefix(64).map { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
                ? Character(scalar) : "-"
        }
        return "\(controller.number)-\(String(plain)).btsnoop"
    }

    private func open(_ name: String) -> Log? {
        guard canMakeFiles else { return nil }
        do throws(TransportError) {
            guard logs.count < fileLimit else { throw .tooManyLogs(limit: fileLimit) }
            return Log(file: try TraceFile(creatingAt: directory + "/" + name))
        } catch {
            failure = failure ?? error
            if logs.count < fileLimit { canMakeFiles = false }
            return nil
        }
    }

    private func noteFromHost(_ packet: PassedPacket, _ log: inout Log) {
        log.deframer.append(packet.bytes[...])
        do throws(H4FramingError) {
            while let whole = try log.deframer.nextRaw() {
                append(whole, .sent, at: packet.instant, &log)
            }
        } catch {
            // No packets can be told apart any more, but what came can still be seen.
            append(packet.bytes[...], .sent, at: packet.instant, &log)
        }
    }

    private func append(
        _ packet: ArraySlice<UInt8>,
        _ direction: Btsnoop.Direction,
        at instant: Instant,
        _ log: inout Log
    ) {
        let record = Btsnoop.Record(
            microsecondsSince1970: microsecondsAtZero + instant.nanoseconds / 1_000,
            direction: direction,
            packet: packet
        )
        log.file.append(record)
        log.isDirty = true
    }
}
