// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

@testable import VirtualRadio

/// Two ends of a link without a radio and without a world. This object passes their PDUs.
final class Dialogue {
    /// The state of one end.
    struct End {
        var procedures: LinkProcedures
        /// The events for the end's host.
        var events: [HCI.Event] = []
        /// The end's other actions.
        var actions: [LinkProcedures.Action] = []
        /// The reason with which the link ended at this end, or `nil` while it lasts.
        var reason: HCI.ErrorCode?
        /// The LE events that the end's host has not masked.
        var wanted = HCI.LEEventMask(rawValue: .max)
        /// Whether this end receives nothing.
        var isUnreachable = false
        fileprivate var sendingKey: [UInt8]?
        fileprivate var receivingKey: [UInt8]?
        fileprivate var outgoing: (pdu: LLControlPDU, key: [UInt8]?)?
    }

    /// The number of packets that each end may send in an event.
    static let exchangesPerEvent = 3

    var central: End
    var peripheral: End
    /// The exchanged PDUs: `→` from the central, `←` from the peripheral.
    private(set) var script: [String] = []
    /// The exchanged PDUs, in full.
    private(set) var pdus: [LLControlPDU] = []
    /// The number of the current event.
    private(set) var eventCounter: UInt16
    private(set) var now = Instant.zero

    /// Creates two ends that support every feature, unless `adjust` changes their capabilities.
    init(
        from eventCounter: UInt16 = 0,
        parameters: LinkParameters = LinkParameters(
            interval: .milliseconds(30),
            latency: 0,
            supervisionTimeout: .seconds(2)
        ),
        modulation: Modulation = .le1M,
        _ adjust: (LinkSide, inout LinkCapabilities) -> Void = { _, _ in }
    ) {
        self.eventCounter = eventCounter
        let proposal = LinkProposal(
            central: RadioID(0),
            centralAddress: DeviceAddress(value: 1, kind: .public),
            peripheralAddress: DeviceAddress(value: 2, kind: .public),
            parameters: parameters,
            modulation: modulation
        )
        func end(_ side: LinkSide) -> End {
            var local = LinkCapabilities(ControllerConfiguration(), ControllerSettings())
            adjust(side, &local)
            return End(
                procedures: LinkProcedures(
                    side: side,
                    handle: side.handle,
                    local: local,
                    proposal: proposal,
                    generator: WorldSeed(7).stream("dialogue", side == .central ? 0 : 1)
                )
            )
        }
        central = end(.central)
        peripheral = end(.peripheral)
    }

    subscript(side: LinkSide) -> End {
        get { side == .central ? central : peripheral }
        _modify { if side == .central { yield &central } else { yield &peripheral } }
    }

    /// Sends a request from the host of this side to its controller.
    func ask(_ side: LinkSide, _ request: LinkProcedureRequest) throws(HCI.ErrorCode) {
        let actions = try self[side].procedures.request(
            request,
            eventCounter: eventCounter,
            now: now
        )
        perform(actions, side)
    }

    /// Returns the error with which the host's request is refused, or `nil` if it is accepted.
    func refusal(_ side: LinkSide, _ request: LinkProcedureRequest) -> HCI.ErrorCode? {
        do throws(HCI.ErrorCode) {
            try ask(side, request)
            return nil
        } catch {
            return error
        }
    }

    /// Runs this many connection events.
    func run(events count: Int) {
        for _ in 0..<count {
            eventCounter &+= 1
            now = now + central.procedures.parameters.interval
            for side in LinkSide.allCases { begin(side) }
            for _ in 0..<Self.exchangesPerEvent { exchange() }
        }
    }

    /// Runs connection events for this long.
    func run(for duration: Duration) {
        let end = now + duration
        while now < end { run(events: 1) }
    }

    /// Passes a PDU to this side, even if the other side has not sent it.
    func forge(_ pdu: LLControlPDU, to side: LinkSide) {
        perform(
            self[side].procedures.receive(
                pdu,
                wanted: self[side].wanted,
                eventCounter: eventCounter,
                now: now
            ),
            side
        )
    }

    /// Passes data from the other side to this side. Ends the link at this side if this side
    /// cannot decrypt the data.
    func sendData(to side: LinkSide) {
        guard self[side.other].sendingKey == self[side].receivingKey else {
            return endLink(side, .messageIntegrityFailure)
        }
        perform(self[side].procedures.receiveData(now: now), side)
    }

    /// Removes the exchanged PDUs, the events and the actions.
    func forget() {
        script = []
        pdus = []
        for side in LinkSide.allCases {
            self[side].events = []
            self[side].actions = []
        }
    }

    private func begin(_ side: LinkSide) {
        guard self[side].reason == nil else { return }
        if let deadline = self[side].procedures.nextDeadline, deadline <= now {
            perform(self[side].procedures.deadlinePassed(now: now), side)
        }
        perform(self[side].procedures.eventBegins(eventCounter, now: now), side)
    }

    /// Takes the PDUs of both ends before it passes one of them, so that procedures can cross.
    private func exchange() {
        for side in LinkSide.allCases { load(side) }
        for side in LinkSide.allCases { carry(from: side) }
    }

    private func load(_ side: LinkSide) {
        guard self[side].reason == nil, self[side].outgoing == nil,
            let next = self[side].procedures.nextPDU(eventCounter: eventCounter, now: now)
        else { return }
        perform(next.actions, side)
        self[side].outgoing = (next.pdu, self[side].sendingKey)
    }

    private func carry(from side: LinkSide) {
        let other = side.other
        guard let (pdu, key) = self[side].outgoing, !self[other].isUnreachable,
            self[other].reason == nil, self[side].reason == nil
        else { return }
        self[side].outgoing = nil
        script.append((side == .central ? "→ " : "← ") + pdu.name)
        pdus.append(pdu)
        if key == self[other].receivingKey {
            forge(pdu, to: other)
        } else {
            endLink(other, .messageIntegrityFailure)
        }
        perform(self[side].procedures.acknowledged(pdu, now: now), side)
    }

    private func perform(_ actions: [LinkProcedures.Action], _ side: LinkSide) {
        for action in actions {
            switch action {
            case .emit(let event): self[side].events.append(event)
            case .end(let reason), .endAfterAcknowledging(let reason): endLink(side, reason)
            case .setEncryption(let sending, let receiving, let key):
                if let sending { self[side].sendingKey = sending ? key : nil }
                if let receiving { self[side].receivingKey = receiving ? key : nil }
            default: self[side].actions.append(action)
            }
        }
    }

    private func endLink(_ side: LinkSide, _ reason: HCI.ErrorCode) {
        if self[side].reason == nil { self[side].reason = reason }
    }

    /// Returns whether the packets from this side are encrypted in the same session at both ends.
    func isEncrypted(from side: LinkSide) -> Bool {
        self[side].sendingKey != nil && self[side].sendingKey == self[side.other].receivingKey
    }
}

extension LinkSide {
    /// The link's handle at the host of this side.
    var handle: ConnectionHandle { ConnectionHandle(rawValue: self == .central ? 1 : 2) }
}

extension LLControlPDU {
    private static let names = [
        "CONNECTION_UPDATE_IND", "CHANNEL_MAP_IND", "TERMINATE_IND", "ENC_REQ", "ENC_RSP",
        "START_ENC_REQ", "START_ENC_RSP", "UNKNOWN_RSP", "FEATURE_REQ", "FEATURE_RSP",
        "PAUSE_ENC_REQ", "PAUSE_ENC_RSP", "VERSION_IND", "REJECT_IND", "PERIPHERAL_FEATURE_REQ",
        "CONNECTION_PARAM_REQ", "CONNECTION_PARAM_RSP", "REJECT_EXT_IND", "PING_REQ", "PING_RSP",
        "LENGTH_REQ", "LENGTH_RSP", "PHY_REQ", "PHY_RSP", "PHY_UPDATE_IND",
    ]

    /// The specification's name without the prefix LL.
    var name: String {
        Self.names.indices.contains(Int(opcode)) ? Self.names[Int(opcode)] : "\(opcode)"
    }
}

extension ConnectionParameterProposal {
    /// Returns parameters with this interval, in milliseconds.
    static func milliseconds(
        _ interval: Int64,
        latency: Int = 0,
        timeout: Duration = .seconds(4)
    ) -> ConnectionParameterProposal {
        ConnectionParameterProposal(
            intervalMinimum: .milliseconds(interval),
            intervalMaximum: .milliseconds(interval),
            latency: latency,
            supervisionTimeout: timeout
        )
    }
}

extension HCI.PHYPreference {
    /// Returns a preference for these PHYs in both directions.
    static func both(_ phys: HCI.PHYSet) -> HCI.PHYPreference {
        HCI.PHYPreference(transmit: phys, receive: phys)
    }
}
