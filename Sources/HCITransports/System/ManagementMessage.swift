// SPDX-License-Identifier: Apache-2.0

/// A message of the kernel's Bluetooth management, in either direction: what it is, which adapter it is
/// about, its parameters (BlueZ, doc/mgmt-api.txt, "Packet Structures"). Least significant octet first.
struct ManagementMessage: Hashable, Sendable {
    /// A code, an adapter and a length, two octets each.
    static let headerLength = 6
    /// The longest: its length has 16 bits.
    static let lengthLimit = headerLength + 0xFFFF

    /// The command's or event's number.
    let code: UInt16
    /// The adapter; `noAdapter` if it is about none.
    let index: UInt16
    var parameters: ArraySlice<UInt8> = []

    static let noAdapter: UInt16 = 0xFFFF

    /// Reads a message; nil unless it is exactly one.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count >= Self.headerLength else { return nil }
        code = Self.number(bytes, at: 0)
        index = Self.number(bytes, at: 2)
        parameters = bytes.dropFirst(Self.headerLength)
        guard parameters.count == Int(Self.number(bytes, at: 4)) else { return nil }
    }

    /// A command without parameters.
    init(command code: UInt16, index: UInt16 = noAdapter) {
        self.code = code
        self.index = index
    }

    /// The octets to write.
    var bytes: [UInt8] {
        let header = [code, index, UInt16(truncatingIfNeeded: parameters.count)]
        return header.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] } + parameters
    }

    /// Two octets as a number, at a place that must be there.
    static func number(_ bytes: ArraySlice<UInt8>, at offset: Int) -> UInt16 {
        let place = bytes.startIndex + offset
        return UInt16(bytes[place]) | UInt16(bytes[place + 1]) << 8
    }
}

extension ManagementMessage {
    private static let commandComplete: UInt16 = 0x0001
    private static let commandStatus: UInt16 = 0x0002

    /// The answer to a command: its parameters, or nil parameters if it was refused. Nil if this
    /// message is another.
    func answer(to command: UInt16) -> Answer? {
        guard code == Self.commandComplete || code == Self.commandStatus, parameters.count >= 3,
            Self.number(parameters, at: 0) == command
        else { return nil }
        let status = parameters[parameters.startIndex + 2]
        guard code == Self.commandComplete, status == 0 else { return .refused(status) }
        return .done(parameters.dropFirst(3))
    }

    /// What came of a command.
    enum Answer: Equatable, Sendable {
        case done(ArraySlice<UInt8>)
        /// With its status, which is never told apart here.
        case refused(UInt8)
    }

    /// The adapters in the answer to a command that lists them; nil if it is cut.
    static func indices(_ answer: ArraySlice<UInt8>) -> [UInt16]? {
        guard answer.count >= 2 else { return nil }
        let count = Int(number(answer, at: 0))
        guard answer.count == 2 + 2 * count else { return nil }
        return (0..<count).map { number(answer, at: 2 + 2 * $0) }
    }

    /// Whether it says that there is an adapter which programs may take from now on: one that was
    /// plugged in and is set up, or that another program has let go of.
    var announcesAdapter: Bool {
        code == Self.indexAdded || code == Self.unconfiguredIndexAdded
    }

    /// Whether a list of adapters, and what they are doing, may be another one from now on.
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
