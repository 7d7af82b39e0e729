// SPDX-License-Identifier: Apache-2.0

import BluetoothHost

/// The kernel's end of channels: BlueZ's program l2test, which opens a channel or listens for
/// channels.
///
/// The SDUs of l2test carry their number and their length, then bytes of 0x7F. l2test expects the
/// same content in each SDU that it receives, and reports each mismatch, so the check of our data
/// does not depend on our code.
struct KernelChannel: Sendable {
    /// The use of a channel.
    enum Work: String, Sendable {
        case listenAndReceive = "-r"
        case listenAndSend = "-w"
        case openAndReceive = "-u"
        case openAndSend = "-s"
        /// Neither sends nor receives until its end.
        case openAndKeepSilent = "-n"

        var opens: Bool {
            switch self {
            case .listenAndReceive, .listenAndSend: false
            case .openAndReceive, .openAndSend, .openAndKeepSilent: true
            }
        }
    }

    /// The security that the kernel requires for its channels.
    enum Protection: String, Sendable {
        case encrypted = "-E"
        case authenticated = "-S"
    }

    var work: Work
    var psm: L2CAP.SPSM
    /// The length of the SDUs that l2test sends, and of its receive buffer.
    var length = 1_000
    /// The number of SDUs that l2test sends. l2test leaves the channel open afterward, because
    /// Linux sends the request to close it before the data that is still queued.
    var count = 1
    /// The longest SDU that the kernel accepts.
    var receiveMTU: Int?
    var protection: Protection?

    private var sends: Bool { work == .listenAndSend || work == .openAndSend }

    /// The number of milliseconds that l2test waits before it closes a channel on which it has
    /// sent: longer than a scenario.
    private static let timeLimit = 600_000

    /// Returns the command line. `address` is the peer, for a program that opens a channel, and may
    /// be public or random.
    func line(to address: DeviceAddress?) -> String {
        var words = ["exec l2test", work.rawValue, "-P \(psm.rawValue)"]
        words += ["-b \(length)", "-N \(count)"]
        if sends { words.append("-g \(Self.timeLimit)") }
        if let receiveMTU { words.append("-I \(receiveMTU)") }
        if let protection { words.append(protection.rawValue) }
        let kind = address.map { $0.kind == .random ? "le_random" : "le_public" }
        words.append("-V \(kind ?? "le_public")")
        if let address { words.append(address.digits) }
        return words.joined(separator: " ")
    }
}

/// The lines of l2test about one channel so far.
struct KernelReport: Sendable {
    private var lines: [String] = []

    mutating func take(_ line: String) { lines.append(line) }

    /// Whether the channel has ended or was refused.
    var isOver: Bool { isDisconnected || isRefused }

    /// Whether l2test waits for data on a channel.
    var isReceiving: Bool { lines.contains { $0.contains("Receiving") } }

    private var isDisconnected: Bool { lines.contains { $0.contains("Disconnect") } }

    /// The lines that report a mismatch.
    var mismatches: [String] { lines.filter { $0.contains("mismatch") } }

    /// The number of bytes that arrived, in steps of the length of l2test's buffer.
    var byteCount: Int { lines.reduce(0) { $0 + Self.bytes(in: $1) } }

    private static func bytes(in line: String) -> Int {
        let words = line.split(separator: " ")
        guard let unit = words.firstIndex(of: "bytes"), unit > 0 else { return 0 }
        return Int(words[unit - 1]) ?? 0
    }

    /// Whether the channel was closed without an error.
    var isOrderly: Bool { lines.contains { $0.contains("Disconnect: Success") } }

    /// Whether the channel was refused: `Can't connect: Connection refused (111)`.
    private var isRefused: Bool { lines.contains { $0.contains("Can't") } }
}

extension BlueZ {
    /// Makes the kernel open a channel to `address`, or listen for channels.
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

    /// Follows l2test's lines until a report fulfills a condition, by default until a channel has
    /// ended or was refused.
    func follow(
        _ report: inout KernelReport,
        of name: String = "l2test",
        until isEnough: (KernelReport) -> Bool = \.isOver
    ) async throws {
        while !isEnough(report) { report.take(try await output(of: name)) }
    }
}

extension DeviceAddress {
    /// The address without its kind, as BlueZ's programs expect it.
    var digits: String { String("\(self)".prefix(17)) }
}

/// Returns the SDU with this number, as l2test sends and expects it.
func kernelSDU(_ number: Int, length: Int) -> [UInt8] {
    var writer = ByteWriter(reservingCapacity: length)
    writer.write(UInt32(number))
    writer.write(UInt16(length))
    return writer.bytes + [UInt8](repeating: 0x7F, count: length - writer.bytes.count)
}
