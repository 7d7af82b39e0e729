// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// ATT PDUs in words: the specification's name and the fields, attributes as `#` and their handle,
/// values in hexadecimal.
enum ATTText {
    /// Returns the PDU on one line.
    static func describe(_ pdu: ATT.PDU) -> String {
        let fields = fields(pdu)
        let name = pdu.opcode.description
        return fields.isEmpty ? name : "\(name) \(fields)"
    }

    private static func fields(_ pdu: ATT.PDU) -> String {
        requestFields(pdu) ?? responseFields(pdu) ?? serverFields(pdu) ?? ""
    }

    private static func requestFields(_ pdu: ATT.PDU) -> String? {
        switch pdu {
        case .exchangeMTURequest(let request): "mtu=\(request.receiveMTU)"
        case .findInformationRequest(let request): range(request.start, request.end)
        case .findByTypeValueRequest(let request):
            "\(range(request.start, request.end)) type=\(type(BluetoothUUID(request.type))) "
                + "value=\(value(request.value))"
        case .readByTypeRequest(let request):
            "\(range(request.start, request.end)) type=\(type(request.type))"
        case .readRequest(let request): attribute(request.handle)
        case .readBlobRequest(let request): "\(attribute(request.handle)) offset=\(request.offset)"
        case .readMultipleRequest(let request):
            request.handles.map(attribute).joined(separator: " ")
        case .readMultipleVariableRequest(let request):
            request.handles.map(attribute).joined(separator: " ")
        case .readByGroupTypeRequest(let request):
            "\(range(request.start, request.end)) type=\(type(request.type))"
        case .writeRequest(let request): pair(request.handle, request.value)
        case .writeCommand(let command): pair(command.handle, command.value)
        case .signedWriteCommand(let command): pair(command.handle, command.value) + " signed"
        case .prepareWriteRequest(let request):
            "\(attribute(request.handle)) offset=\(request.offset) value=\(value(request.value))"
        case .executeWriteRequest(let request):
            request.flags == .writeAll ? "write all" : "cancel all"
        default: nil
        }
    }

    private static func responseFields(_ pdu: ATT.PDU) -> String? {
        switch pdu {
        case .errorResponse(let response):
            "\(response.code) to \(response.requestOpcode) \(attribute(response.handle))"
        case .exchangeMTUResponse(let response): "mtu=\(response.receiveMTU)"
        case .findInformationResponse(let response):
            list(response.entries) { "\(attribute($0.handle))=\(type($0.uuid))" }
        case .findByTypeValueResponse(let response):
            list(response.entries) { range($0.found, $0.groupEnd) }
        case .readByTypeResponse(let response):
            list(response.entries) { pair($0.handle, $0.value) }
        case .readByGroupTypeResponse(let response):
            list(response.entries) { "\(range($0.handle, $0.groupEnd))=\(service($0.value))" }
        case .readResponse(let response): value(response.value)
        case .readBlobResponse(let response): value(response.value)
        case .readMultipleResponse(let response): value(response.values)
        case .readMultipleVariableResponse(let response): list(response.values, value)
        case .prepareWriteResponse(let response):
            "\(attribute(response.handle)) offset=\(response.offset) value=\(value(response.value))"
        default: nil
        }
    }

    private static func serverFields(_ pdu: ATT.PDU) -> String? {
        switch pdu {
        case .handleValueNotification(let notification):
            pair(notification.handle, notification.value)
        case .handleValueIndication(let indication): pair(indication.handle, indication.value)
        case .multipleHandleValueNotification(let notification):
            list(notification.entries) { pair($0.handle, $0.value) }
        case .unknown(_, let parameters): parameters.hexadecimal
        default: nil
        }
    }

    private static func attribute(_ handle: AttributeHandle) -> String { "#\(handle.rawValue)" }

    private static func range(_ first: AttributeHandle, _ last: AttributeHandle) -> String {
        "#\(first.rawValue)–\(last.rawValue)"
    }

    private static func pair(_ handle: AttributeHandle, _ bytes: ArraySlice<UInt8>) -> String {
        "\(attribute(handle))=\(value(bytes))"
    }

    private static func value(_ bytes: ArraySlice<UInt8>) -> String {
        bytes.isEmpty ? "(empty)" : bytes.hexadecimal
    }

    private static func type(_ uuid: BluetoothUUID) -> String {
        let name =
            AssignedNumbers.name(ofDescriptor: uuid) ?? AssignedNumbers.name(ofCharacteristic: uuid)
        return name.map { "\(uuid) (\($0))" } ?? uuid.description
    }

    /// Returns the value of a service declaration, which is a UUID (Vol 3, Part G, 3.1), with the
    /// name of the service.
    private static func service(_ bytes: ArraySlice<UInt8>) -> String {
        guard let uuid = BluetoothUUID(littleEndian: bytes) else { return value(bytes) }
        return AssignedNumbers.name(ofService: uuid).map { "\(uuid) (\($0))" } ?? "\(uuid)"
    }

    private static func list<Element>(
        _ elements: [Element],
        _ describe: (Element) -> String
    ) -> String {
        elements.map(describe).joined(separator: ", ")
    }
}
