// SPDX-License-Identifier: Apache-2.0

import BluetoothHost

/// The kernel's end of channels: BlueZ's program l2test, which opens one or listens for them.
///
/// The SDUs that it sends carry their number and their length, then octets of 0x7F. What it receives
/// it expects to be the same, and says where it is not; so the check of what we send is not ours.
struct KernelChannel: Sendable {
    /// What it does with a channel.
    enum Work: String, Sendable {
        case listenAndReceive = "-r"
        case listenAndSend = "-w"
        case openAndReceive = "-u"
        case openAndSend = "-s"
        /// Neither sends nor receives, until it is ended.
        case openAndKeepSilent = "-n"

        var opens: Bool {
            switch self {
            case .listenAndReceive, .listenAndSend: false
            case .openAndReceive, .openAndSend, .openAndKeepSilent: true
            }
        }
    }

    /// What the kernel asks of the link for its channels.
    enum Protection: String, Sendable {
        case encrypted = "-E"
        case authenticated = "-S"
    }

    var work: Work
    var psm: L2CAP.SPSM
    /// The length of the SDUs that it sends, and of its buffer for what it receives.
    var length = 1_000
    /// How many SDUs it sends. It leaves the channel open then, for a request of Linux' to close it overtakes
    /// what is to be sent on it.
    var count = 1
    /// The longest SDU that the kernel takes.
    var receiveMTU: Int?
    var protection: Protection?

    private var sends: Bool { work == .listenAndSend || work == .openAndSend }

    /// How many milliseconds it waits until it closes a channel on which it has sent: longer than a scenario.
    private static let patience = 600_000

    /// The command line; `address` is whom to open a channel to, from whichever kind of address.
    func line(to address: DeviceAddress?) -> String {
        var words = ["exec l2test", work.rawValue, "-P \(psm.rawValue)"]
        words += ["-b \(length)", "-N \(count)"]
        if sends { words.append("-g \(Self.patience)") }
        if let receiveMTU { words.append("-I \(receiveMTU)") }
        if let protection { words.append(protection.rawValue) }
        let kind = address.map { $0.kind == .random ? "le_random" : "le_public" }
        words.append("-V \(kind ?? "le_public")")
        if let address { words.append(address.digits) }
        return words.joined(separator: " ")
    }
}

/// What l2test said of one channel, until now.
struct KernelReport: Sendable {
    private var lines: [String] = []

    mutating func take(_ line: String) { lines.append(line) }

    /// Whether the channel has ended, or there never was one.
    var isOver: Bool { isDisconnected || isRefused }

    /// Whether it waits for what comes on a channel.
    var isReceiving: Bool { lines.contains { $0.contains("Receiving") } }

    private var isDisconnected: Bool { lines.contains { $0.contains("Disconnect") } }

    /// What did not arrive as it was sent.
    var mismatches: [String] { lines.filter { $0.contains("mismatch") } }

    /// How many octets arrived, in steps of its buffer's length.
    var octetCount: Int { lines.reduce(0) { $0 + Self.octets(in: $1) } }

    private static func octets(in line: String) -> Int {
        let words = line.split(separator: " ")
        guard let unit = words.firstIndex(of: "bytes"), unit > 0 else { return 0 }
        return Int(words[unit - 1]) ?? 0
    }

    /// Whether the channel ended in an orderly way.
    var isOrderly: Bool { lines.contains { $0.contains("Disconnect: Success") } }

    /// Whether there was no channel: `Can't connect: Connection refused (111)`.
    private var isRefused: Bool { lines.contains { $0.contains("Can't") } }
}

extension BlueZ {
    /// Has the kernel open a channel to `address`, or listen for channels.
    func start(
        _ channel: KernelChannel,
        to address: DeviceAddress? = nil,
        as name: String = "l2test"
    ) async throws {
        try await spawn(channel.line(to: address), as: name)
        guard !channel.work.opens else { return }
        let line = try await output(of: name) {
            $0.contains("Waiting for connection") || $0.contains("Can't")
        }
        if line.contains("Can't") { throw Refusal("CannotListen", text: line) }
    }

    /// Follows what l2test says, until a report is as wanted: by default, until a channel has ended.
    func follow(
        _ report: inout KernelReport,
        of name: String = "l2test",
        until isEnough: (KernelReport) -> Bool = \.isOver
    ) async throws {
        while !isEnough(report) { report.take(try await output(of: name)) }
    }
}

extension DeviceAddress {
    /// The address alone, as programs of BlueZ's take it.
    var digits: String { String("\(self)".prefix(17)) }
}

/// The SDU of that number, as l2test sends it and expects it.
func kernelSDU(_ number: Int, length: Int) -> [UInt8] {
    var writer = ByteWriter(reservingCapacity: length)
    writer.write(UInt32(number))
    writer.write(UInt16(length))
    return writer.bytes + [UInt8](repeating: 0x7F, count: length - writer.bytes.count)
}
