// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import HCITransports
import VirtualRadio

/// The packet logs of a world: one btsnoop file for each controller, which Wireshark can open. The
/// time of a record is the world's time, counted from `microsecondsAtZero`.
///
/// Use a trace only on the world's thread. An error in writing a log does not stop the world: see
/// `failure`.
final class WorldTrace {
    /// The maximum number of logs at one time. Each log keeps a file open.
    static let fileLimit = 512

    /// The log of one controller.
    private struct Log {
        let file: TraceFile
        /// Splits the host's bytes into packets.
        var deframer = H4Deframer()
        var isDirty = false
    }

    /// The error that made a log incomplete; `nil` if there is none.
    private(set) var failure: TransportError?
    /// Whether to create further logs. It becomes `false` when a file cannot be created in the
    /// directory.
    private var canMakeFiles = true
    private let directory: String
    private let microsecondsAtZero: Int64
    private let fileLimit: Int
    private var logs: [String: Log] = [:]

    /// Creates logs in an existing directory.
    ///
    /// - Parameters:
    ///   - directory: The directory.
    ///   - microsecondsAtZero: The beginning of the world's time, in microseconds since 1970.
    ///   - fileLimit: The maximum number of logs at one time.
    init(directory: String, microsecondsAtZero: Int64 = 0, fileLimit: Int = fileLimit) {
        self.directory = directory
        self.fileLimit = fileLimit
        self.microsecondsAtZero = microsecondsAtZero
    }

    /// Logs all packets of the world from now on.
    func observe(_ world: World) {
        world.observe { [self, unowned world] packet in
            note(packet, label: world.name(of: packet.controller))
        }
    }

    /// Logs a packet between the controller with the label and its host.
    private func note(_ packet: PassedPacket, label: String) {
        let name = Self.fileName(packet.controller, label: label)
        guard var log = logs[name] ?? open(name) else { return }
        switch packet.direction {
        case .toHost: append(packet.bytes[...], .received, at: packet.instant, &log)
        case .toController: noteFromHost(packet, &log)
        }
        logs[name] = log
    }

    /// Writes the buffered packets.
    func flush() {
        for name in logs.keys where logs[name]?.isDirty == true {
            logs[name]?.file.flush()
            logs[name]?.isDirty = false
            failure = failure ?? logs[name]?.file.failure
        }
    }

    /// Forgets the incomplete packet of a host that has left its controller.
    func hostLeft(_ controller: ControllerID, label: String) {
        logs[Self.fileName(controller, label: label)]?.deframer.reset()
    }

    /// Closes the log of a controller that is about to leave the world.
    func close(_ controller: ControllerID, label: String) {
        logs[Self.fileName(controller, label: label)] = nil
    }

    /// Returns the file name: the controller's number and the first 64 Unicode scalars of the
    /// label, for example `3-phone.btsnoop`. Each scalar that is not an ASCII letter or digit
    /// becomes `-`.
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
            // The bytes can no longer be split into packets, but the log still shows them.
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
