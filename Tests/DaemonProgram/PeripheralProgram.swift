// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// A peripheral with a value, a value that requires encryption, and a value that is notified. Its
/// properties belong to the main queue.
final class PeripheralProgram: NSObject, @unchecked Sendable {
    // Sendable for the same reason as `CentralProgram`.

    /// The first byte of values that the peripheral refuses.
    private static let refused: UInt8 = 0xEE
    private static let secret: [UInt8] = [0x5E, 0xC2]

    private let name: String
    private var manager: CBPeripheralManager?
    private var channel: ChannelProgram?
    private var value = Data([0xCA, 0xFE])
    private let ticker = CBMutableCharacteristic(
        type: CBUUID(string: "FFE3"),
        properties: [.read, .notify],
        value: nil,
        permissions: .readable
    )
    private var hasPublished = false
    /// The values to notify, in order.
    private var ticks: [Data] = []

    init(name: String) {
        self.name = name
        super.init()
        manager = CBPeripheralManager(delegate: self, queue: nil)
    }

    /// Performs a command, with a value in hexadecimal digits: `tick`, `listen`, `answer`, or
    /// `stop`.
    func perform(_ verb: String, _ value: Data) {
        switch verb {
        case "tick":
            ticks.append(value)
            sendTicks()
        case "listen": manager?.publishL2CAPChannel(withEncryption: false)
        case "answer": channel?.transmit(value)
        case "stop": manager?.stopAdvertising()
        default: say("no such command: serve \(verb)")
        }
    }

    private func sendTicks() {
        while let tick = ticks.first,
            manager?.updateValue(tick, for: ticker, onSubscribedCentrals: nil) == true
        {
            ticks.removeFirst()
        }
    }

    private func publish() {
        hasPublished = true
        let service = CBMutableService(type: CBUUID(string: "FFE0"), primary: true)
        service.characteristics = [
            CBMutableCharacteristic(
                type: CBUUID(string: "FFE1"),
                properties: [.read, .write, .writeWithoutResponse],
                value: nil,
                permissions: [.readable, .writeable]
            ),
            CBMutableCharacteristic(
                type: CBUUID(string: "FFE2"),
                properties: .read,
                value: Data(Self.secret),
                permissions: .readEncryptionRequired
            ),
            ticker,
        ]
        manager?.add(service)
    }
}

extension PeripheralProgram: CBPeripheralManagerDelegate {
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return say("peripheral off") }
        say("peripheral on")
        // The service and the advertising continue when the adapter is turned on again.
        if !hasPublished { publish() }
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didAdd service: CBService,
        error: (any Error)?
    ) {
        say("published\(text(error))")
        peripheral.startAdvertising([
            CBAdvertisementDataLocalNameKey: name,
            CBAdvertisementDataServiceUUIDsKey: [service.uuid],
        ])
    }

    func peripheralManagerDidStartAdvertising(
        _ peripheral: CBPeripheralManager,
        error: (any Error)?
    ) {
        say("advertising\(text(error))")
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest)
    {
        say("asked for \(request.characteristic.uuid.uuidString) from \(request.offset)")
        let answer = request.characteristic.uuid == ticker.uuid ? Data([0]) : value
        guard request.offset <= answer.count else {
            return peripheral.respond(to: request, withResult: .invalidOffset)
        }
        request.value = answer.dropFirst(request.offset)
        peripheral.respond(to: request, withResult: .success)
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didReceiveWrite requests: [CBATTRequest]
    ) {
        for request in requests {
            let new = request.value ?? Data()
            say("asked to write \(new.hexadecimal)")
            guard new.first != Self.refused else {
                return peripheral.respond(to: request, withResult: .insufficientAuthorization)
            }
            value = new
        }
        if let first = requests.first { peripheral.respond(to: first, withResult: .success) }
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didSubscribeTo characteristic: CBCharacteristic
    ) {
        say("central subscribed, \(central.maximumUpdateValueLength)")
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        say("central unsubscribed")
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didPublishL2CAPChannel PSM: CBL2CAPPSM,
        error: (any Error)?
    ) {
        say("listening \(PSM)\(text(error))")
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didOpen channel: CBL2CAPChannel?,
        error: (any Error)?
    ) {
        say("accepted\(text(error))")
        self.channel = channel.map { ChannelProgram($0) }
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
        sendTicks()
    }
}
