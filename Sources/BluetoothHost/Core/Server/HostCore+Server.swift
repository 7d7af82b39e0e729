// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes

extension HostCore {
    package mutating func publish(
        _ definition: GATT.ServiceDefinition,
        now: Instant
    ) throws(GATT.DefinitionError) -> GATT.PublishedService { throw .tableFull }

    package mutating func unpublish(
        _ handle: AttributeHandle,
        now: Instant
    ) throws(GATT.DefinitionError) { throw .notPublished(handle) }

    package mutating func setValue(
        _ value: [UInt8],
        of handle: AttributeHandle
    ) throws(GATT.DefinitionError) { throw .notPublished(handle) }

    package func value(of handle: AttributeHandle) -> [UInt8]? { nil }

    package func subscribers(
        of handle: AttributeHandle
    ) -> [(identifier: LinkIdentifier, peer: DeviceAddress)] { [] }

    package mutating func answer(
        _ request: GATTServer.RequestID,
        _ result: Result<[UInt8], ATT.ErrorCode>,
        now: Instant
    ) {}

    func isOpen(_ link: LinkIdentifier) -> Bool { handles[link] != nil }
    func subscriptions(of link: LinkIdentifier) -> [AttributeHandle: GATT.SubscriptionKind] { [:] }
    mutating func authorize(_ isAuthorized: Bool, on link: LinkIdentifier) {}
    func security(of link: LinkIdentifier) -> LinkSecurity? {
        handles[link].map { _ in LinkSecurity.none }
    }

    mutating func notify(
        _ values: [GATT.AttributeValue],
        on link: LinkIdentifier,
        id: RequestIdentifier,
        now: Instant
    ) { fail(id, HostError.notSubscribed) }

    mutating func cancelNotification(
        _ id: RequestIdentifier,
        on link: LinkIdentifier,
        now: Instant
    ) {}

    mutating func tryNotify(
        _ value: [UInt8],
        of handle: AttributeHandle,
        on link: LinkIdentifier,
        now: Instant
    ) throws -> Bool { throw HostError.notSubscribed }
}
