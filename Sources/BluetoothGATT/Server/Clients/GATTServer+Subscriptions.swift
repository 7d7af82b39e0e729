// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

// Client Characteristic Configuration descriptors: each client has its own (Vol 3, Part G, 3.3.3.3).

extension GATTServer {
    /// The clients that have subscribed to a characteristic's value, in the order of their names.
    package func subscribers(of handle: AttributeHandle) -> [ClientID] {
        guard let configuration = database.characteristics[handle]?.configurationHandle else {
            return []
        }
        return clients.filter { $0.value.memory.configurations[configuration] != nil }
            .map(\.key)
            .sorted { $0.rawValue < $1.rawValue }
    }

    /// The characteristics whose values a client has subscribed to, by the handles of the values.
    package func subscriptions(of client: ClientID) -> [AttributeHandle: GATT.SubscriptionKind] {
        var subscriptions: [AttributeHandle: GATT.SubscriptionKind] = [:]
        for (handle, configuration) in clients[client]?.memory.configurations ?? [:] {
            guard case .clientConfiguration(let value) = database.attribute(handle)?.value else {
                continue
            }
            subscriptions[value] = GATT.SubscriptionKind(configuration: configuration.bits)
        }
        return subscriptions
    }

    /// Bits that the characteristic does not have are refused, reserved ones ignored; and who may
    /// not be sent the value may not subscribe to it.
    func refusal(
        ofConfiguring valueHandle: AttributeHandle,
        with value: [UInt8],
        by client: ClientID
    ) -> ATT.ErrorCode? {
        guard let bits = Self.configuration(value) else { return .invalidAttributeValueLength }
        guard bits != 0 else { return nil }
        let permitted = database.characteristics[valueHandle]?.permittedConfiguration ?? 0
        guard bits & ~permitted == 0 else { return .valueNotAllowed }
        return sendingRefusal(of: valueHandle, to: client)
    }

    mutating func configure(
        _ handle: AttributeHandle,
        of valueHandle: AttributeHandle,
        with value: [UInt8],
        by client: ClientID
    ) -> [Action] {
        guard let bits = Self.configuration(value),
            let record = database.characteristics[valueHandle]
        else { return [] }
        let configuration = ClientMemory.Configuration(
            bits: bits,
            service: record.service,
            characteristic: record.uuid
        )
        let new = bits == 0 ? nil : configuration
        guard clients[client]?.memory.configurations[handle] != new else { return [] }
        clients[client]?.memory.configurations[handle] = new
        if valueHandle == serviceChangedHandle, new == nil {
            clients[client]?.serviceChange.forget()
        }
        return [.told(client, .subscribed(valueHandle, GATT.SubscriptionKind(configuration: bits)))]
            + remember(client)
    }

    func subscriptionReport(
        ofConfiguration handle: AttributeHandle,
        by client: ClientID
    ) -> Action? {
        guard case .clientConfiguration(let valueHandle) = database.attribute(handle)?.value,
            let bits = clients[client]?.memory.configurations[handle]?.bits
        else { return nil }
        return .told(client, .subscribed(valueHandle, GATT.SubscriptionKind(configuration: bits)))
    }

    /// The bits of a descriptor's value that mean something; nil if it is none.
    private static func configuration(_ value: [UInt8]) -> UInt16? {
        guard value.count == 2 else { return nil }
        let known =
            GATT.SubscriptionKind.notification.configuration
            | GATT.SubscriptionKind.indication.configuration
        return (UInt16(value[0]) | UInt16(value[1]) << 8) & known
    }
}

extension GATT.SubscriptionKind {
    /// What a configuration asks for; nil for nothing. Who asks for both is notified: nothing that
    /// is only notified waits for a confirmation.
    init?(configuration: UInt16) {
        if configuration & Self.notification.configuration != 0 {
            self = .notification
        } else if configuration & Self.indication.configuration != 0 {
            self = .indication
        } else {
            return nil
        }
    }
}
