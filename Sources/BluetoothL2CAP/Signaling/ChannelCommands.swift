// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension Signaling {
    /// A request of the peer that concerns credit-based channels.
    package enum ChannelRequest: Equatable, Sendable {
        case connect(LECreditBasedConnectionRequest)
        case connectSeveral(CreditBasedConnectionRequest)
        case reconfigure(CreditBasedReconfigureRequest)
        case disconnect(DisconnectionRequest)
        /// A grant of credits, which has no response.
        case credit(FlowControlCredit)

        /// Decodes a command, or returns `nil` if the command does not concern channels.
        init?(_ packet: Packet) throws(MalformedBytes) {
            let bytes = packet.parameters
            switch packet.code {
            case .leCreditBasedConnectionRequest: self = .connect(try .init(parsing: bytes))
            case .creditBasedConnectionRequest: self = .connectSeveral(try .init(parsing: bytes))
            case .creditBasedReconfigureRequest: self = .reconfigure(try .init(parsing: bytes))
            case .disconnectionRequest: self = .disconnect(try .init(parsing: bytes))
            case .flowControlCredit: self = .credit(try .init(parsing: bytes))
            default: return nil
            }
        }
    }

    /// The end of a local request that concerns channels.
    package enum ChannelAnswer: Equatable, Sendable {
        case connected(LECreditBasedConnectionResponse)
        case connectedSeveral(CreditBasedConnectionResponse)
        /// A refusal of several channels without a list of them, which Bumble 0.0.236 sends.
        case refusedSeveral(L2CAP.ConnectionResult)
        case reconfigured(CreditBasedReconfigureResponse)
        case disconnected(DisconnectionResponse)
        case rejected(CommandReject)
        case timedOut

        /// Decodes a response, or returns `nil` if the response does not concern channels.
        init?(_ packet: Packet) throws(MalformedBytes) {
            let bytes = packet.parameters
            switch packet.code {
            case .leCreditBasedConnectionResponse: self = .connected(try .init(parsing: bytes))
            case .creditBasedConnectionResponse:
                if let refusal = try Self.refusal(bytes) {
                    self = refusal
                } else {
                    self = .connectedSeveral(try .init(parsing: bytes))
                }
            case .creditBasedReconfigureResponse: self = .reconfigured(try .init(parsing: bytes))
            case .disconnectionResponse: self = .disconnected(try .init(parsing: bytes))
            case .commandReject: self = .rejected(try .init(parsing: bytes))
            default: return nil
            }
        }

        /// Returns a refusal that ends before the list of channels, or `nil` for any other
        /// response.
        private static func refusal(_ bytes: ArraySlice<UInt8>) throws(MalformedBytes) -> Self? {
            guard bytes.count == 8 else { return nil }
            var reader = ByteReader(bytes.suffix(2))
            let result = L2CAP.ConnectionResult(rawValue: try reader.readUInt16())
            return result == .success || result.isPending ? nil : .refusedSeveral(result)
        }

        /// Whether another response to the same request follows (Vol 3, Part A, 4.26).
        var isPending: Bool {
            guard case .connectedSeveral(let response) = self else { return false }
            return L2CAP.ConnectionResult(rawValue: response.result).isPending
        }
    }
}
