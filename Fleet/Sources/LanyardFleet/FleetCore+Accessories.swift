// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText
import Lanyard

extension FleetCore {
    /// The payload of the last will of a host.
    static let offline = JSON.object([.init("status", .string("offline"))]).compact

    // MARK: Events of accessories

    mutating func changed(_ id: String, _ change: AccessoryChange, now: ClockReading) {
        guard let tracked = tracked[id], tracked.lease.isHeld else { return }
        let wasReady = tracked.state == .ready
        _ = update(id) { tracked in
            tracked.state = change.state
            if wasReady, change.state != .ready { tracked.absentSince = now.seconds }
        }
        let isReady = change.state == .ready
        let gap = change.gap.map { $0 / .seconds(1) }
        if let gap { measure(.reconnected(gap: gap)) }
        let status = JSON.compacting([
            "deviceID": .string(id),
            "timestamp": .number(now.timestamp),
            "bleConnectionStatus": .object([.init("connected", .bool(isReady))]),
            "state": .string(change.state.word),
            "reason": .string("\(change.reason)"),
            "gap": gap.map { .number($0) },
            "host": .string(topics.host),
            "sequence": .integer(Int(outbox.nextNumber)),
        ])
        enqueue(FleetMessage(topic: topics.status(id), payload: status.compact, isRetained: true))
        if isReady != wasReady {
            let word = isReady ? "online" : "offline"
            enqueue(FleetMessage(topic: topics.availability(id), payload: word, isRetained: true))
        }
    }

    mutating func valueReceived(
        _ id: String,
        _ path: CharacteristicPath,
        _ value: Data,
        now: ClockReading
    ) {
        guard let tracked = tracked[id], tracked.lease.isHeld, tracked.enabled.contains(path),
            let characteristic = tracked.accessory.characteristics.first(where: { $0.path == path })
        else { return }
        let event = JSON.compacting([
            "deviceID": .string(id),
            "timestamp": .number(now.timestamp),
            "data": .string(value.base64EncodedString()),
            "bleSubscription": .object([
                .init("serviceID", .string(path.service.nipc)),
                .init("characteristicID", .string(path.characteristic.nipc)),
            ]),
            "number": characteristic.sensor?.number(in: value).map { .number($0) },
            "host": .string(topics.host),
            "sequence": .integer(Int(outbox.nextNumber)),
        ])
        enqueue(FleetMessage(topic: topics.events(id, path), payload: event.compact))
        measure(.value)
    }

    /// Receives the presence of an accessory.
    ///
    /// - Parameter rssi: The signal strength in dBm, if it is known.
    mutating func presenceChanged(_ id: String, rssi: Int?, isPresent: Bool, now: ClockReading) {
        guard let tracked = tracked[id] else { return }
        measure(.presence)
        guard tracked.isPresent != isPresent else { return }
        _ = update(id) { $0.isPresent = isPresent }
        let presence = JSON.compacting([
            "deviceID": .string(id),
            "timestamp": .number(now.timestamp),
            "bleAdvertisement": .compacting(["rssi": rssi.map { .integer($0) }]),
            "present": .bool(isPresent),
            "host": .string(topics.host),
            "sequence": .integer(Int(outbox.nextNumber)),
        ])
        enqueue(
            FleetMessage(topic: topics.presence(id), payload: presence.compact, isRetained: true)
        )
    }

    // MARK: Messages about the host

    mutating func publishHostStatus() {
        let status = JSON.object([
            .init("status", .string("online")),
            .init("queued", .integer(outbox.messages.count)),
            .init("dropped", .integer(outbox.droppedCount)),
        ])
        let message = FleetMessage(
            topic: topics.hostStatus,
            payload: status.compact,
            isRetained: true
        )
        actions.append(.publish(message, number: nil))
    }

    /// Publishes the discovery messages of Home Assistant for an accessory.
    mutating func publishDiscovery(of id: String) {
        guard let discoveryPrefix, let accessory = tracked[id]?.accessory else { return }
        let device = JSON.object([
            .init("identifiers", .array([.string("lanyard-\(id)")])),
            .init("name", .string(accessory.name)),
        ])
        let availability = JSON.array([
            .object([.init("topic", .string(topics.availability(id)))]),
            .object([
                .init("topic", .string(topics.hostStatus)),
                .init("value_template", .string("{{ value_json.status }}")),
            ]),
        ])
        for characteristic in accessory.characteristics {
            guard let sensor = characteristic.sensor else { continue }
            let name = "\(characteristic.path.service)-\(characteristic.path.characteristic)"
            let configuration = JSON.compacting([
                "name": .string(sensor.name),
                "unique_id": .string("lanyard-\(id)-\(name)"),
                "state_topic": .string(topics.events(id, characteristic.path)),
                "value_template": .string("{{ value_json.number }}"),
                "unit_of_measurement": sensor.unit.map { .string($0) },
                "device_class": sensor.deviceClass.map { .string($0) },
                "availability": availability,
                "availability_mode": .string("all"),
                "device": device,
                "origin": .object([.init("name", .string("lanyard-fleet"))]),
            ])
            let message = FleetMessage(
                topic: "\(discoveryPrefix)/sensor/lanyard-\(id)/\(name)/config",
                payload: configuration.compact,
                isRetained: true
            )
            enqueue(message)
        }
    }
}
