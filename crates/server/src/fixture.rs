//! What the official conformance suite of MCP asks of a server that it tests: tools, resources and prompts of its own, named
//! `test_…` and `test://…`. They exist only in builds for tests, after a program switches them on; no build of the product has
//! them.
#![allow(deprecated, reason = "the suite asks for logging, which later versions of the protocol leave out")]

use crate::handler::Handler;
use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult,
    CompletionInfo, CustomRequest, CustomResult, GetPromptRequestParams, GetPromptResponse, GetPromptResult,
    InitializeRequestParams, InitializeResult, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, ServerCapabilities, ServerConfig, ServerNotification,
    ServerRequest, SetLevelRequestParams, SubscribeRequestParams, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, RoleServer};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

static IS_ON: AtomicBool = AtomicBool::new(false);
/// One red pixel, and a tenth of a second of silence.
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";
/// How long a tool pauses between two notices, as the suite asks.
const PAUSE: Duration = Duration::from_millis(50);

/// Offers what the suite asks for, in every daemon of this process from now on.
pub fn switch_on() {
    IS_ON.store(true, Ordering::Relaxed);
}

/// The handler of the product, with the additions of the suite.
#[derive(Clone)]
pub(crate) struct WithFixture(Handler);

impl From<Handler> for WithFixture {
    fn from(handler: Handler) -> Self {
        Self(handler)
    }
}

fn is_on() -> bool {
    IS_ON.load(Ordering::Relaxed)
}

/// The result of a request with its result type set; for older clients the service leaves the type out.
fn complete<T: DeserializeOwned>(mut value: Value) -> Result<T, ErrorData> {
    value["resultType"] = "complete".into();
    made(value)
}

/// A value of the protocol, written as JSON.
fn made<T: DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
    serde_json::from_value(value).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

fn tools() -> Value {
    let plain = [
        ("test_simple_text", "Returns a text"),
        ("test_image_content", "Returns an image"),
        ("test_audio_content", "Returns a sound"),
        ("test_embedded_resource", "Returns a resource"),
        ("test_multiple_content_types", "Returns several kinds of content"),
        ("test_tool_with_logging", "Logs while it works"),
        ("test_error_handling", "Fails"),
        ("test_tool_with_progress", "Tells how far it is"),
        ("test_elicitation_sep1034_defaults", "Asks for input with defaults"),
        ("test_elicitation_sep1330_enums", "Asks for input from lists"),
    ];
    let object = json!({ "type": "object", "properties": {} });
    let mut tools: Vec<Value> = plain
        .iter()
        .map(|(name, about)| json!({ "name": name, "description": about, "inputSchema": object }))
        .collect();
    for (name, field) in [("test_sampling", "prompt"), ("test_elicitation", "message")] {
        let schema =
            json!({ "type": "object", "properties": { field: { "type": "string" } }, "required": [field] });
        tools.push(json!({ "name": name, "description": "Asks the client", "inputSchema": schema }));
    }
    tools.push(json!({
        "name": "json_schema_2020_12_tool",
        "description": "Tool with JSON Schema 2020-12 features",
        "inputSchema": {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "$defs": { "address": { "$anchor": "addressDef", "type": "object", "properties": {
                "street": { "type": "string" }, "city": { "type": "string" } } } },
            "properties": {
                "name": { "type": "string" },
                "address": { "$ref": "#/$defs/address" },
                "contactMethod": { "type": "string", "enum": ["phone", "email"] },
                "phone": { "type": "string" },
                "email": { "type": "string" },
            },
            "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
            "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
            "then": { "required": ["phone"] },
            "else": { "required": ["email"] },
            "additionalProperties": false,
        },
    }));
    tools.into()
}

fn text(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }] })
}

fn requested(verb: &str) -> Value {
    let words = |words: &[&str]| json!({ "type": "string", "enum": words });
    let titled = |key: &str| {
        let choice = |n: usize, title: &str| json!({ "const": format!("value{n}"), "title": title });
        json!({ key: [choice(1, "First Option"), choice(2, "Second Option"), choice(3, "Third Option")] })
    };
    let properties = match verb {
        "test_elicitation" => json!({
            "username": { "type": "string", "description": "User's response" },
            "email": { "type": "string", "description": "User's email address" },
        }),
        "test_elicitation_sep1034_defaults" => json!({
            "name": { "type": "string", "default": "John Doe" },
            "age": { "type": "integer", "default": 30 },
            "score": { "type": "number", "default": 95.5 },
            "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
            "verified": { "type": "boolean", "default": true },
        }),
        _ => {
            let mut single = titled("oneOf");
            single["type"] = "string".into();
            let many = words(&["option1", "option2", "option3"]);
            json!({
                "untitledSingle": many,
                "titledSingle": single,
                "legacyEnum": { "type": "string", "enum": ["opt1", "opt2", "opt3"],
                    "enumNames": ["Option One", "Option Two", "Option Three"] },
                "untitledMulti": { "type": "array", "items": many },
                "titledMulti": { "type": "array", "items": titled("anyOf") },
            })
        }
    };
    let required: Vec<&str> = if verb == "test_elicitation" { vec!["username", "email"] } else { Vec::new() };
    json!({ "type": "object", "properties": properties, "required": required })
}

/// The answer of a tool of the suite; `None` for the tools of the product.
async fn call(
    params: &CallToolRequestParams,
    request: &RequestContext<RoleServer>,
) -> Option<Result<Value, ErrorData>> {
    let argument = |name: &str| {
        let arguments = params.arguments.as_ref();
        arguments.and_then(|fields| fields.get(name)?.as_str()).unwrap_or_default().to_owned()
    };
    let embedded =
        |uri: &str, media: &str, text: &str| json!({ "uri": uri, "mimeType": media, "text": text });
    Some(Ok(match &*params.name {
        "test_simple_text" => text("This is a simple text response for testing."),
        "test_image_content" => {
            json!({ "content": [{ "type": "image", "data": PNG, "mimeType": "image/png" }] })
        }
        "test_audio_content" => {
            json!({ "content": [{ "type": "audio", "data": WAV, "mimeType": "audio/wav" }] })
        }
        "test_embedded_resource" => {
            let resource =
                embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.");
            json!({ "content": [{ "type": "resource", "resource": resource }] })
        }
        "test_multiple_content_types" => {
            let reply = "{\"test\":\"data\",\"value\":123}";
            json!({ "content": [
                { "type": "text", "text": "Multiple content types test:" },
                { "type": "image", "data": PNG, "mimeType": "image/png" },
                { "type": "resource", "resource": embedded("test://mixed-content-resource", "application/json", reply) },
            ] })
        }
        "test_tool_with_logging" => {
            for line in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
                let params = json!({ "level": "info", "data": line });
                notify(request, json!({ "method": "notifications/message", "params": params })).await;
                tokio::time::sleep(PAUSE).await;
            }
            text("Tool with logging executed")
        }
        "test_error_handling" => {
            let mut reply = text("This tool intentionally returns an error for testing");
            reply["isError"] = true.into();
            reply
        }
        "test_tool_with_progress" => {
            let token = request.meta.get_progress_token().map(|token| json!(token));
            for progress in [0, 50, 100] {
                let params = json!({ "progressToken": token, "progress": progress, "total": 100 });
                if token.is_some() {
                    notify(request, json!({ "method": "notifications/progress", "params": params })).await;
                }
                tokio::time::sleep(PAUSE).await;
            }
            text("Tool with progress executed")
        }
        "test_sampling" => {
            let content = json!({ "type": "text", "text": argument("prompt") });
            let params = json!({ "messages": [{ "role": "user", "content": content }], "maxTokens": 100 });
            let asked = json!({ "method": "sampling/createMessage", "params": params });
            match ask(request, asked).await {
                Ok(reply) => {
                    text(&format!("LLM response: {}", reply["content"]["text"].as_str().unwrap_or_default()))
                }
                Err(error) => return Some(Err(error)),
            }
        }
        name @ ("test_elicitation"
        | "test_elicitation_sep1034_defaults"
        | "test_elicitation_sep1330_enums") => {
            let message =
                if name == "test_elicitation" { argument("message") } else { "Please answer".to_owned() };
            let params = json!({ "mode": "form", "message": message, "requestedSchema": requested(name) });
            match ask(request, json!({ "method": "elicitation/create", "params": params })).await {
                Ok(reply) => text(&format!(
                    "Elicitation completed: action={}, content={}",
                    reply["action"].as_str().unwrap_or_default(),
                    reply["content"]
                )),
                Err(error) => return Some(Err(error)),
            }
        }
        "json_schema_2020_12_tool" => text("It is listed for its schema."),
        _ => return None,
    }))
}

async fn notify(request: &RequestContext<RoleServer>, notice: Value) {
    if let Ok(notice) = made::<ServerNotification>(notice) {
        // A client that does not listen still gets its answer.
        let _ = request.peer.send_notification(notice).await;
    }
}

/// Asks the client, and returns what it answered.
async fn ask(request: &RequestContext<RoleServer>, asked: Value) -> Result<Value, ErrorData> {
    let internal = |error: String| ErrorData::internal_error(error, None);
    let reply = request.peer.send_request(made::<ServerRequest>(asked)?).await;
    serde_json::to_value(reply.map_err(|error| internal(error.to_string()))?)
        .map_err(|error| internal(error.to_string()))
}

fn resources() -> Value {
    let resource = |uri: &str, media: &str| json!({ "uri": uri, "name": uri, "description": "For the suite", "mimeType": media });
    json!([
        resource("test://static-text", "text/plain"),
        resource("test://static-binary", "image/png"),
        resource("test://watched-resource", "text/plain"),
    ])
}

fn read(uri: &str) -> Option<Value> {
    let contents = match uri {
        "test://static-text" => {
            json!({ "uri": uri, "mimeType": "text/plain", "text": "This is the content of the static text resource." })
        }
        "test://static-binary" => json!({ "uri": uri, "mimeType": "image/png", "blob": PNG }),
        "test://watched-resource" => json!({ "uri": uri, "mimeType": "text/plain", "text": "Watched." }),
        uri => {
            let id = uri.strip_prefix("test://template/")?.strip_suffix("/data")?;
            let data = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
            json!({ "uri": uri, "mimeType": "application/json", "text": data.to_string() })
        }
    };
    Some(json!({ "contents": [contents] }))
}

fn prompts() -> Value {
    let prompt = |name: &str, arguments: &[&str]| {
        let arguments: Vec<Value> = arguments
            .iter()
            .map(|name| json!({ "name": name, "description": name, "required": true }))
            .collect();
        json!({ "name": name, "description": "For the suite", "arguments": arguments })
    };
    json!([
        prompt("test_simple_prompt", &[]),
        prompt("test_prompt_with_arguments", &["arg1", "arg2"]),
        prompt("test_prompt_with_embedded_resource", &["resourceUri"]),
        prompt("test_prompt_with_image", &[]),
    ])
}

fn prompt(params: &GetPromptRequestParams) -> Option<Value> {
    let argument = |name: &str| {
        let arguments = params.arguments.as_ref();
        arguments
            .and_then(|fields| Some(fields.get(name)?.to_string()))
            .unwrap_or_default()
            .trim_matches('"')
            .to_owned()
    };
    let said = |content: Value| json!({ "role": "user", "content": content });
    let plain = |text: &str| said(json!({ "type": "text", "text": text }));
    let messages = match &*params.name {
        "test_simple_prompt" => vec![plain("This is a simple prompt for testing.")],
        "test_prompt_with_arguments" => {
            let (one, two) = (argument("arg1"), argument("arg2"));
            vec![plain(&format!("Prompt with arguments: arg1='{one}', arg2='{two}'"))]
        }
        "test_prompt_with_embedded_resource" => {
            let reply = "Embedded resource content for testing.";
            let resource = json!({ "uri": argument("resourceUri"), "mimeType": "text/plain", "text": reply });
            let embedded = said(json!({ "type": "resource", "resource": resource }));
            vec![embedded, plain("Please process the embedded resource above.")]
        }
        "test_prompt_with_image" => {
            let image = said(json!({ "type": "image", "data": PNG, "mimeType": "image/png" }));
            vec![image, plain("Please analyze the image above.")]
        }
        _ => return None,
    };
    Some(json!({ "messages": messages }))
}

/// Adds items of the suite to those of the product.
fn extend<T: DeserializeOwned>(list: &mut Vec<T>, more: Value) -> Result<(), ErrorData> {
    list.extend(made::<Vec<T>>(more)?);
    Ok(())
}

impl ServerHandler for WithFixture {
    fn get_info(&self) -> ServerConfig {
        let mut config = self.0.get_info();
        if is_on() {
            config.capabilities = ServerCapabilities::builder()
                .enable_tools()
                .enable_resources()
                .enable_resources_subscribe()
                .enable_prompts()
                .enable_logging()
                .enable_completions()
                .build();
        }
        config
    }

    async fn initialize(
        &self,
        params: InitializeRequestParams,
        request: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let mut reply = self.0.initialize(params, request).await?;
        if is_on() {
            reply.capabilities = self.get_info().capabilities;
        }
        Ok(reply)
    }

    async fn list_tools(
        &self,
        page: Option<PaginatedRequestParams>,
        request: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut listed = self.0.list_tools(page, request).await?;
        if is_on() {
            extend(&mut listed.tools, tools())?;
        }
        Ok(listed)
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        request: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let reply = if is_on() { call(&params, &request).await } else { None };
        match reply {
            Some(reply) => complete::<CallToolResult>(reply?).map(Into::into),
            None => self.0.call_tool(params, request).await,
        }
    }

    async fn list_resources(
        &self,
        page: Option<PaginatedRequestParams>,
        request: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let mut listed = self.0.list_resources(page, request).await?;
        if is_on() {
            extend(&mut listed.resources, resources())?;
        }
        Ok(listed)
    }

    async fn list_resource_templates(
        &self,
        page: Option<PaginatedRequestParams>,
        request: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let mut listed = self.0.list_resource_templates(page, request).await?;
        if is_on() {
            let template = json!({ "uriTemplate": "test://template/{id}/data", "name": "template" });
            extend(&mut listed.resource_templates, json!([template]))?;
        }
        Ok(listed)
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        request: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        match read(&params.uri).filter(|_| is_on()) {
            Some(reply) => complete::<ReadResourceResult>(reply).map(Into::into),
            None => self.0.read_resource(params, request).await,
        }
    }

    async fn subscribe(
        &self,
        _: SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        nobody_else()
    }

    async fn unsubscribe(
        &self,
        _: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        nobody_else()
    }

    async fn set_level(
        &self,
        _: SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        nobody_else()
    }

    async fn complete(
        &self,
        params: CompleteRequestParams,
        request: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        if is_on() {
            Ok(CompleteResult::new(CompletionInfo::default()))
        } else {
            self.0.complete(params, request).await
        }
    }

    async fn list_prompts(
        &self,
        page: Option<PaginatedRequestParams>,
        request: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let mut listed = self.0.list_prompts(page, request).await?;
        if is_on() {
            extend(&mut listed.prompts, prompts())?;
        }
        Ok(listed)
    }

    async fn get_prompt(
        &self,
        params: GetPromptRequestParams,
        request: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        match prompt(&params).filter(|_| is_on()) {
            Some(reply) => complete::<GetPromptResult>(reply).map(Into::into),
            None => self.0.get_prompt(params, request).await,
        }
    }

    async fn on_custom_request(
        &self,
        custom: CustomRequest,
        request: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        self.0.on_custom_request(custom, request).await
    }
}

/// Accepts a request that only the suite sends.
fn nobody_else() -> Result<(), ErrorData> {
    if is_on() {
        Ok(())
    } else {
        Err(ErrorData::new(rmcp::model::ErrorCode::METHOD_NOT_FOUND, "not offered", None))
    }
}
