// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// A central with one peripheral, and other centrals for tests with several links. Its properties
/// belong to the main queue.
final class CentralProgram: NSObject, @unchecked Sendable {
    // Sendable, because all calls are on the main queue: the delegates' (`queue: nil`) and those of
    // `main.swift`.

    /// The text before each line that the central prints.
    private let prefix: String
    /// The other centrals, by the words that precede their commands and their lines.
    private var others: [String: CentralProgram] = [:]
    private var manager: CBCentralManager?
    private var served: PeripheralProgram?
    private var channel: ChannelProgram?
    private var wantedName: String?
    private var survey: DeviceSurvey?
    private var peripheral: CBPeripheral?
    /// The values to write without response, in order, with their characteristic.
    private var commands: ArraySlice<(CBCharacteristic, Data)> = []
    /// The number of notifications for each printed line; `nil` if their values are printed.
    private var burst: Int?
    private var notificationCount = 0

    init(prefix: String = "") {
        self.prefix = prefix
    }

    private func say(_ line: String) { DaemonProgram.say(prefix + line) }

    /// Performs a command: a verb and its arguments, such as a UUID and a value in hexadecimal
    /// digits. `start` makes the manager, and `approve` sets a pairing delegate. After a word that
    /// begins with `@`, the command is for the central with that name.
    func perform(_ line: String) {
        let words = line.split(separator: " ").map(String.init)
        guard let verb = words.first else { return }
        switch verb {
        case _ where verb.hasPrefix("@"):
            central(verb).perform(words.dropFirst().joined(separator: " "))
        case "start": manager = CBCentralManager(delegate: self, queue: nil)
        case "scan": scan(for: words.dropFirst().joined(separator: " "))
        case "survey":
            survey = DeviceSurvey(of: Int(words.last ?? "") ?? 0)
            manager?.scanForPeripherals(withServices: nil)
        case "connect": peripheral.map { manager?.connect($0) }
        case "disconnect": peripheral.map { manager?.cancelPeripheralConnection($0) }
        case "discover": peripheral?.discoverServices(nil)
        case "includes":
            let service = peripheral?.services?.first {
                $0.uuid == CBUUID(string: words.last ?? "")
            }
            if let service { peripheral?.discoverIncludedServices(nil, for: service) }
        case "rssi": peripheral?.readRSSI()
        case "open": peripheral?.openL2CAPChannel(CBL2CAPPSM(words.last ?? "") ?? 0)
        case "transmit": channel?.transmit(Data(hexadecimal: words.last ?? ""))
        case "close": channel?.close()
        case "approve": CBAdapter.default?.pairingDelegate = Approver()
        case "serve": served = PeripheralProgram(name: words.dropFirst().joined(separator: " "))
        case "tick", "stop", "listen", "answer":
            served?.perform(verb, Data(hexadecimal: words.last ?? ""))
        default:
            guard words.count > 1, let characteristic = characteristic(words[1]) else {
                return say("no characteristic: \(line)")
            }
            switch verb {
            case "send", "count":
                stream(characteristic, verb, words.dropFirst(2).compactMap(Int.init))
            default:
                use(characteristic, verb, words.count > 2 ? Data(hexadecimal: words[2]) : Data())
            }
        }
    }

    /// Returns another central, which is made at its first use.
    private func central(_ name: String) -> CentralProgram {
        let central = others[name] ?? CentralProgram(prefix: "\(name) ")
        others[name] = central
        return central
    }

    /// Ends the links and the program.
    func end() {
        Task {
            await CBAdapter.default?.shutDown()
            exit(0)
        }
    }

    private func scan(for name: String) {
        wantedName = name
        manager?.scanForPeripherals(withServices: nil)
    }

    private func use(_ characteristic: CBCharacteristic, _ verb: String, _ value: Data) {
        switch verb {
        case "read": peripheral?.readValue(for: characteristic)
        case "write": peripheral?.writeValue(value, for: characteristic, type: .withResponse)
        case "command":
            commands.append((characteristic, value))
            sendCommands()
        case "subscribe": peripheral?.setNotifyValue(true, for: characteristic)
        case "unsubscribe":
            burst = nil
            peripheral?.setNotifyValue(false, for: characteristic)
        case "describe":
            for descriptor in characteristic.descriptors ?? [] {
                peripheral?.readValue(for: descriptor)
            }
        default: say("no such command: \(verb)")
        }
    }

    /// Writes `count` values of a length without response, or counts notifications and prints a
    /// line after each `count` notifications. Each value begins with its number.
    private func stream(_ characteristic: CBCharacteristic, _ verb: String, _ arguments: [Int]) {
        guard let count = arguments.first else { return say("no count: \(verb)") }
        if verb == "send" {
            let rest = Data(count: max(0, (arguments.last ?? 0) - 4))
            commands += (0..<count).map { (characteristic, Data(number: $0) + rest) }
            sendCommands()
        } else {
            (burst, notificationCount) = (count, 0)
            peripheral?.setNotifyValue(true, for: characteristic)
        }
    }

    /// Counts a value. Returns whether values are being counted.
    private func counts(_ value: Data) -> Bool {
        guard let burst else { return false }
        if value.prefix(4) != Data(number: notificationCount) {
            say("not \(notificationCount): \(value.hexadecimal)")
        }
        notificationCount += 1
        if notificationCount.isMultiple(of: burst) { say("counted") }
        return true
    }

    private func sendCommands() {
        while let (characteristic, value) = commands.first,
            peripheral?.canSendWriteWithoutResponse == true
        {
            commands.removeFirst()
            peripheral?.writeValue(value, for: characteristic, type: .withoutResponse)
            if commands.isEmpty { say("sent \(characteristic.uuid)") }
        }
    }

    private func characteristic(_ uuid: String) -> CBCharacteristic? {
        (peripheral?.services ?? []).flatMap { $0.characteristics ?? [] }
            .first { $0.uuid == CBUUID(string: uuid) }
    }
}

extension CentralProgram: CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        say(central.state == .poweredOn ? "on" : "state \(central.state.rawValue)")
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        let name = advertisementData[CBAdvertisementDataLocalNameKey] as? String
        if let name, survey?.isCompleted(by: peripheral.identifier, named: name) == true {
            survey = nil
            central.stopScan()
        }
        guard let name, name == wantedName else { return }
        wantedName = nil
        central.stopScan()
        self.peripheral = peripheral
        peripheral.delegate = self
        let services = advertisementData[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] ?? []
        say("discovered \(RSSI) \(services.map(\.uuidString).joined(separator: " "))")
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        say("connected")
    }

    func centralManager(
        _ central: CBCentralManager,
        didFailToConnect peripheral: CBPeripheral,
        error: (any Error)?
    ) {
        say("not connected\(text(error))")
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?
    ) {
        say("disconnected\(text(error))")
    }
}

extension CentralProgram: CBPeripheralDelegate {
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        guard error == nil else { return say("no services\(text(error))") }
        for service in peripheral.services ?? [] {
            peripheral.discoverCharacteristics(nil, for: service)
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverIncludedServicesFor service: CBService,
        error: (any Error)?
    ) {
        let included = service.includedServices?.map(\.uuid.uuidString) ?? []
        say("included \(included.joined(separator: " "))\(text(error))")
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverCharacteristicsFor service: CBService,
        error: (any Error)?
    ) {
        for characteristic in service.characteristics ?? [] {
            peripheral.discoverDescriptors(for: characteristic)
        }
    }

    /// Prints the database when the last characteristic has its descriptors.
    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverDescriptorsFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        let services = peripheral.services ?? []
        let all = services.compactMap(\.characteristics)
        guard all.count == services.count, all.joined().allSatisfy({ $0.descriptors != nil })
        else { return }
        for service in services {
            let parts = (service.characteristics ?? []).map { characteristic in
                let descriptors = (characteristic.descriptors ?? []).map(\.uuid.uuidString)
                return " \(characteristic.uuid.uuidString)[\(descriptors.joined(separator: " "))]"
            }
            say("service \(service.uuid.uuidString):\(parts.joined())")
        }
        say("discovered all, \(peripheral.maximumWriteValueLength(for: .withoutResponse))")
    }

    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService])
    {
        say("modified \(invalidatedServices.map(\.uuid.uuidString).joined(separator: " "))")
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateValueFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        guard !counts(characteristic.value ?? Data()) else { return }
        let value = characteristic.value?.hexadecimal ?? ""
        say("value \(characteristic.uuid.uuidString)\(error == nil ? " \(value)" : text(error))")
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateValueFor descriptor: CBDescriptor,
        error: (any Error)?
    ) {
        let value = descriptor.value.map { "\($0)" } ?? ""
        say("descriptor \(descriptor.uuid.uuidString) \(value)\(text(error))")
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didWriteValueFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        say("written \(characteristic.uuid.uuidString)\(text(error))")
    }

    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) { sendCommands() }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        let state = characteristic.isNotifying ? "subscribed" : "not subscribed"
        say("\(state) \(characteristic.uuid.uuidString)\(text(error))")
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didOpen channel: CBL2CAPChannel?,
        error: (any Error)?
    ) {
        say("channel \(channel.map { "\($0.psm)" } ?? "refused")\(text(error))")
        self.channel = channel.map { ChannelProgram($0) }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didReadRSSI RSSI: NSNumber,
        error: (any Error)?
    ) {
        say("rssi \(RSSI)\(text(error))")
    }
}

/// Returns a colon and an error's domain and code, or an empty text without an error.
func text(_ error: (any Error)?) -> String {
    guard let error = error as NSError? else { return "" }
    return ": \(error.domain) \(error.code)"
}

extension Data {
    /// Creates the four bytes of a number, most significant byte first.
    init(number: Int) {
        self = Swift.withUnsafeBytes(of: UInt32(number).bigEndian) { Data($0) }
    }

    init(hexadecimal text: String) {
        self = Data(
            stride(from: 0, to: text.count - 1, by: 2).compactMap { start in
                UInt8(text.dropFirst(start).prefix(2), radix: 16)
            }
        )
    }

    var hexadecimal: String {
        map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}
