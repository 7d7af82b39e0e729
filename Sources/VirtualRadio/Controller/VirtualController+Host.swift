// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

extension VirtualController {
    /// Accepts bytes from the host, however they are divided. A controller that hangs discards
    /// them.
    package mutating func receive(_ bytes: [UInt8], _ ether: inout Ether) {
        guard !ether.ports[radio.index].isHung else { return }
        hostStream.append(bytes)
        while !ether.ports[radio.index].isHung, let arrival = hostStream.next() {
            switch arrival {
            case .packet(let packet): receive(packet, &ether)
            case .framingLost: ether.emit(HardwareErrorCode.framingLost.event, to: radio)
            }
        }
    }

    /// Handles a packet from the host. The controller has neither BR/EDR links nor isochronous
    /// streams, so it ignores their packets.
    private mutating func receive(_ packet: HCI.Packet, _ ether: inout Ether) {
        switch packet {
        case .command(let opcode, let parameters): perform(opcode, parameters, &ether)
        case .acl(let packet): ether.sendData(packet, from: radio)
        case .synchronous, .isochronous, .event: break
        }
    }

    /// Performs a command. The host gets the answer before the events that the command caused.
    private mutating func perform(
        _ opcode: HCI.Opcode,
        _ parameters: ArraySlice<UInt8>,
        _ ether: inout Ether
    ) {
        let place = ether.ports[radio.index].outputCount
        let answer: HCI.Event?
        if let handler = CommandTable.handler(of: opcode, in: configuration) {
            answer = handler.perform(&self, parameters, &ether)
        } else {
            answer = CommandTable.unknown(opcode)
        }
        if let answer { ether.ports[radio.index].answer(answer, at: place) }
        ether.announceOutput(of: radio)
        if let hang = ether.wires[radio.index].commandPerformed() { self.hang(hang, &ether) }
    }
}
