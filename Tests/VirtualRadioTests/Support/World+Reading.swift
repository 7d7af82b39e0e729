// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import Testing
import VirtualRadio

extension World {
    /// Parses the controller's packets, and passes them to one of the closures. Records an issue
    /// for a packet that is malformed, or neither data nor an event.
    func read(
        _ controller: ControllerID,
        data: @escaping (HCI.ACLPacket) -> Void,
        events: @escaping (HCI.Event) -> Void
    ) {
        attach(controller) { bytes in
            switch try? HCI.Packet(h4: bytes[...]) {
            case .acl(let packet): data(packet)
            case .event(let code, let parameters):
                guard let event = try? HCI.Event(code: code, parameters: parameters) else {
                    Issue.record("Malformed event \(code): \(Array(parameters))")
                    return
                }
                events(event)
            default: Issue.record("Neither event nor data: \(bytes)")
            }
        }
    }
}
