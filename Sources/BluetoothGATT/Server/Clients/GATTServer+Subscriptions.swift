// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

// Client Characteristic Configuration descriptors, whose value is separate for each client (Vol 3,
// Part G, 3.3.3.3).

extension GATTServer {
    /// Returns the clients that have subscribed to a characteristic's value, in the order of their
    /// identifiers.
    package func subscribers(of handle: AttributeHandle) -> [ClientID] {
        guard let configuration = database.characteristics[handle]?.configurationHandle else {
            return []
        }
        return clients.identifiers.filter {
            clients[$0]?.clientRecord.configurations[configuration] != nil
        }
    }

    /// Returns the subscriptions of a client, keyed by the handles of the characteristics' values.
    package func subscriptions(of client: ClientID) -> [AttributeHandle: GATT.SubscriptionKind] {
        var subscriptions: [AttributeHandle: GATT.SubscriptionKind] = [:]
        for (handle, configuration) in clients[client]?.clientRecord.configurations ?? [:] {
            guard case .clientConfiguration(let value) = database.attribute(handle)?.value else {
                continue
            }
            subscriptions[value] = GATT.SubscriptionKind(configuration: configuration.bits)
        }
        return subscriptions
    }

    /// Returns the reason to refuse a configuration, or `nil`. Bits that the characteristic does
    /// not support are refused, and reserved bits are ignored. A client to which the value may not
    /// be sent may not subscribe to it.
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
        let configuration = ClientRecord.Configuration(
            bits: bits,
            service: record.service,
            characteristic: record.uuid
        )
        let new = bits == 0 ? nil : configuration
        guard clients[client]?.clientRecord.configurations[handle] != new else { return [] }
        clients[client]?.clientRecord.configurations[handle] = new
        if valueHandle == serviceChangedHandle, new == nil {
            clients[client]?.serviceChange.forget()
        }
        return [
            .report(client, .subscribed(valueHandle, GATT.SubscriptionKind(configuration: bits)))
        ]
            + remember(client)
    }

    func subscriptionReport(
        ofConfiguration handle: AttributeHandle,
        by client: ClientID
    ) -> Action? {
        guard case .clientConfiguration(let valueHandle) = database.attribute(handle)?.value,
            let bits = clients[client]?.clientRecord.configurations[handle]?.bits
        else { return nil }
        return .report(client, .subscribed(valueHandle, GATT.SubscriptionKind(configuration: bits)))
    }

    /// Returns the known bits of a descriptor's value, or `nil` if its length is wrong.
    private static func configuration(_ value: [UInt8]) -> UInt16? {
        guard value.count == 2 else { return nil }
        let known =
            GATT.SubscriptionKind.notification.configuration
            | GATT.SubscriptionKind.indication.configuration
        return (UInt16(value[0]) | UInt16(value[1]) << 8) & known
    }
}

extension GATT.SubscriptionKind {
    /// Creates the kind that a configuration requests, or returns `nil` for none. If both bits are
    /// set, the kind is notification, because a notification does not wait for a confirmation.
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
