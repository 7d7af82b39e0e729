// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// A control procedure that a device starts (Vol 6, Part B, 5.1).
enum LinkProcedure: Hashable, Sendable {
    case version
    case features
    case connectionUpdate(ConnectionParameterProposal)
    case dataLength
    case phy
    case encryption(EncryptionStart)
    case channelMap(UInt64)
    case ping

    /// The kind of a procedure.
    enum Kind: Hashable, Sendable {
        case version, features, connectionUpdate, dataLength, phy, encryption, channelMap, ping

        /// Whether both devices apply the change at an instant. Two procedures with an instant are
        /// incompatible (Vol 6, Part B, 5.3).
        var hasInstant: Bool {
            self == .connectionUpdate || self == .phy || self == .channelMap
        }
    }

    var kind: Kind {
        switch self {
        case .version: .version
        case .features: .features
        case .connectionUpdate: .connectionUpdate
        case .dataLength: .dataLength
        case .phy: .phy
        case .encryption: .encryption
        case .channelMap: .channelMap
        case .ping: .ping
        }
    }
}

/// The parameters of LE Enable Encryption.
struct EncryptionStart: Hashable, Sendable {
    var random: UInt64
    var encryptedDiversifier: UInt16
    var key: HCI.Key128
}

/// A procedure that this device has started and that is still running.
struct RunningProcedure: Hashable, Sendable {
    let procedure: LinkProcedure
    /// The opcode of the PDU with which this end began the procedure. LL_UNKNOWN_RSP and
    /// LL_REJECT_EXT_IND, with which the peer refuses the procedure, repeat it.
    var opcode: UInt8
    /// Whether the peer has sent a PDU of the procedure. If the peer then starts a procedure with
    /// an instant, the central ends the link (Vol 6, Part B, 5.3).
    var isAnswered = false
    /// Whether the central refused this procedure because the central runs one of the same kind.
    /// The two procedures then end together.
    var hasCollided = false
    /// The deadline for the peer's answer (Vol 6, Part B, 5.2).
    var deadline: Instant?

    var kind: LinkProcedure.Kind { procedure.kind }
}

/// The step that a procedure of the peer waits for. The procedure has an instant.
enum RemoteProcedure: Hashable, Sendable {
    /// The host must accept or refuse these connection parameters.
    case hostDecides(ConnectionParameterProposal)
    /// The central must send the connection update that was agreed on.
    case awaitingConnectionUpdate
    /// The central must decide on the PHYs.
    case awaitingPHYUpdate

    var kind: LinkProcedure.Kind {
        switch self {
        case .hostDecides, .awaitingConnectionUpdate: .connectionUpdate
        case .awaitingPHYUpdate: .phy
        }
    }
}

/// An update at an instant.
enum InstantUpdate: Hashable, Sendable {
    case parameters(ConnectionUpdateIndication)
    case channels(UInt64, instant: UInt16)
    case phys(PHYDecision)

    var instant: UInt16 {
        switch self {
        case .parameters(let update): update.instant
        case .channels(_, let instant): instant
        case .phys(let decision): decision.instant
        }
    }

    var kind: LinkProcedure.Kind {
        switch self {
        case .parameters: .connectionUpdate
        case .channels: .channelMap
        case .phys: .phy
        }
    }
}
