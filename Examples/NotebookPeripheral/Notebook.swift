// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// A peripheral with one service:
///
/// - *title* (read): it never changes, so the system answers by itself;
/// - *page* (read, write): up to 512 bytes, which the central reads and writes in parts of any
///   length;
/// - *dictation* (notify): lines of text, one by one;
/// - *command* (write): `dictate COUNT` dictates that many lines, up to 1,000; `clear` empties the
///   page.
@MainActor
final class Notebook: NSObject {
    private static let service = CBUUID(string: "7B2F0001-9C5B-4E36-8C1E-3D5E6B1A0C11")
    private static let title = CBUUID(string: "7B2F0002-9C5B-4E36-8C1E-3D5E6B1A0C11")
    private static let page = CBUUID(string: "7B2F0003-9C5B-4E36-8C1E-3D5E6B1A0C11")
    private static let dictation = CBUUID(string: "7B2F0004-9C5B-4E36-8C1E-3D5E6B1A0C11")
    private static let command = CBUUID(string: "7B2F0005-9C5B-4E36-8C1E-3D5E6B1A0C11")

    /// The maximum length of a characteristic's value, in bytes.
    private static let pageLimit = 512
    /// The maximum number of lines that wait to be sent. The number in a command is not trusted.
    private static let dictationLimit = 1_000

    private lazy var manager = CBPeripheralManager(delegate: self, queue: nil)
    private let dictationCharacteristic = CBMutableCharacteristic(
        type: Notebook.dictation,
        properties: .notify,
        value: nil,
        permissions: .readable
    )
    private var text = Data("Dear diary,\n".utf8)
    /// The lines that wait until there is space to send them.
    private var undictated: ArraySlice<Data> = []
    private var refusalCount = 0

    func open() {
        _ = manager
    }

    private func publish() {
        let service = CBMutableService(type: Self.service, primary: true)
        service.characteristics = [
            CBMutableCharacteristic(
                type: Self.title,
                properties: .read,
                value: Data("Notebook".utf8),
                permissions: .readable
            ),
            CBMutableCharacteristic(
                type: Self.page,
                properties: [.read, .write],
                value: nil,
                permissions: [.readable, .writeable]
            ),
            dictationCharacteristic,
            CBMutableCharacteristic(
                type: Self.command,
                properties: .write,
                value: nil,
                permissions: .writeable
            ),
        ]
        manager.removeAllServices()
        manager.add(service)
    }

    /// Sends lines until there is no space; `peripheralManagerIsReady` continues.
    private func dictate() {
        while let line = undictated.first {
            guard
                manager.updateValue(line, for: dictationCharacteristic, onSubscribedCentrals: nil)
            else {
                refusalCount += 1
                return
            }
            undictated.removeFirst()
            if undictated.isEmpty { say("Dictated all, and waited \(refusalCount) times") }
        }
    }
}

// Requests of centrals.
extension Notebook {
    private func answer(_ request: CBATTRequest) -> CBATTError.Code {
        guard request.characteristic.uuid == Self.page else { return .readNotPermitted }
        guard request.offset <= text.count else { return .invalidOffset }
        request.value = text.subdata(in: request.offset..<text.count)
        return .success
    }

    /// Performs requests that arrive together: all of them, or none.
    private func execute(_ requests: [CBATTRequest]) -> CBATTError.Code {
        var newText = text
        var commands: [String] = []
        for request in requests {
            let value = request.value ?? Data()
            switch request.characteristic.uuid {
            case Self.page:
                guard request.offset <= newText.count else { return .invalidOffset }
                guard request.offset + value.count <= Self.pageLimit else {
                    return .invalidAttributeValueLength
                }
                newText = newText.prefix(request.offset) + value
            case Self.command: commands.append(String(decoding: value, as: UTF8.self))
            default: return .writeNotPermitted
            }
        }
        if newText != text { say("The page has \(newText.count) bytes now") }
        text = Data(newText)
        commands.forEach(run)
        return .success
    }

    private func run(_ command: String) {
        let words = command.split(separator: " ")
        switch words.first {
        case "clear":
            text = Data()
            say("The page is empty")
        case "dictate":
            let wanted = words.dropFirst().first.flatMap { Int($0) } ?? 0
            let count = max(0, min(wanted, Self.dictationLimit - undictated.count))
            say("Dictating \(count) lines")
            undictated += (0..<count).map { Data("line \($0)".utf8) }
            dictate()
        default: say("Unknown command: \(command)")
        }
    }
}

extension Notebook: @preconcurrency CBPeripheralManagerDelegate {
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        switch peripheral.state {
        case .poweredOn:
            say("Bluetooth is on")
            publish()
        case .unsupported, .unauthorized:
            say("Bluetooth is not available on this computer")
            exit(1)
        default: say("Bluetooth is off")
        }
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didAdd service: CBService,
        error: (any Error)?
    ) {
        if let error { return say("Cannot publish: \(error.localizedDescription)") }
        peripheral.startAdvertising([
            CBAdvertisementDataLocalNameKey: "Notebook",
            CBAdvertisementDataServiceUUIDsKey: [service.uuid],
        ])
    }

    func peripheralManagerDidStartAdvertising(
        _ peripheral: CBPeripheralManager,
        error: (any Error)?
    ) {
        say(error.map { "Cannot advertise: \($0.localizedDescription)" } ?? "The notebook is open")
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didReceiveRead request: CBATTRequest
    ) {
        peripheral.respond(to: request, withResult: answer(request))
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didReceiveWrite requests: [CBATTRequest]
    ) {
        guard let first = requests.first else { return }
        peripheral.respond(to: first, withResult: execute(requests))
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didSubscribeTo characteristic: CBCharacteristic
    ) {
        say("A central listens, \(central.maximumUpdateValueLength) bytes at a time")
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        say("The central has left")
        // Other centrals may still be subscribed.
        if dictationCharacteristic.subscribedCentrals?.isEmpty != false { undictated = [] }
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
        dictate()
    }
}

/// Prints a line at once, even into a pipe. Without a reader, the line is lost.
func say(_ text: String) {
    try? FileHandle.standardOutput.write(contentsOf: Data("\(text)\n".utf8))
}
