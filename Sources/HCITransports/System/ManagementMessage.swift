// SPDX-License-Identifier: Apache-2.0

/// A message of the kernel's Bluetooth management interface in either direction: a code, an adapter
/// and parameters (BlueZ, doc/mgmt-api.txt, "Packet Structures"). Numbers are encoded least
/// significant byte first.
struct ManagementMessage: Hashable, Sendable {
    /// The length of the header in bytes: a code, an adapter and a length, two bytes each.
    static let headerLength = 6
    /// The maximum length of a message, whose length field has 16 bits.
    static let lengthLimit = headerLength + 0xFFFF

    /// The number of the command or event.
    let code: UInt16
    /// The number of the adapter, or `noAdapter` if the message concerns none.
    let index: UInt16
    var parameters: ArraySlice<UInt8> = []

    static let noAdapter: UInt16 = 0xFFFF

    /// Decodes a message, or returns `nil` unless the bytes are exactly one message.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count >= Self.headerLength else { return nil }
        code = Self.number(bytes, at: 0)
        index = Self.number(bytes, at: 2)
        parameters = bytes.dropFirst(Self.headerLength)
        guard parameters.count == Int(Self.number(bytes, at: 4)) else { return nil }
    }

    /// Creates a command without parameters.
    init(command code: UInt16, index: UInt16 = noAdapter) {
        self.code = code
        self.index = index
    }

    var bytes: [UInt8] {
        let header = [code, index, UInt16(truncatingIfNeeded: parameters.count)]
        return header.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] } + parameters
    }

    /// Returns two bytes as a number. The bytes must exist.
    static func number(_ bytes: ArraySlice<UInt8>, at offset: Int) -> UInt16 {
        let place = bytes.startIndex + offset
        return UInt16(bytes[place]) | UInt16(bytes[place + 1]) << 8
    }
}

extension ManagementMessage {
    private static let commandComplete: UInt16 = 0x0001
    private static let commandStatus: UInt16 = 0x0002

    /// Returns the result in this message if it is the answer to the command, or `nil` if it is
    /// another message.
    func answer(to command: UInt16) -> Answer? {
        guard code == Self.commandComplete || code == Self.commandStatus, parameters.count >= 3,
            Self.number(parameters, at: 0) == command
        else { return nil }
        let status = parameters[parameters.startIndex + 2]
        guard code == Self.commandComplete, status == 0 else { return .refused(status) }
        return .done(parameters.dropFirst(3))
    }

    enum Answer: Equatable, Sendable {
        case done(ArraySlice<UInt8>)
        /// The kernel refused the command with this status.
        case refused(UInt8)
    }

    /// Returns the adapters in the answer to a command that lists them, or `nil` if the answer is
    /// truncated.
    static func indices(_ answer: ArraySlice<UInt8>) -> [UInt16]? {
        guard answer.count >= 2 else { return nil }
        let count = Int(number(answer, at: 0))
        guard answer.count == 2 + 2 * count else { return nil }
        return (0..<count).map { number(answer, at: 2 + 2 * $0) }
    }

    /// Whether the message announces an adapter that programs can take from now on: one that was
    /// plugged in and set up, or that another program has released.
    var announcesAdapter: Bool {
        code == Self.indexAdded || code == Self.unconfiguredIndexAdded
    }

    /// Whether the message announces a change of the adapters or their states.
    var changesAdapters: Bool {
        announcesAdapter || code == Self.indexRemoved || code == Self.unconfiguredIndexRemoved
            || code == Self.newSettings
    }

    private static let indexAdded: UInt16 = 0x0004
    private static let indexRemoved: UInt16 = 0x0005
    private static let newSettings: UInt16 = 0x0006
    private static let unconfiguredIndexAdded: UInt16 = 0x001D
    private static let unconfiguredIndexRemoved: UInt16 = 0x001E
}
