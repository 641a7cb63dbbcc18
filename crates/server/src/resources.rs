//! Resources and prompts as MCP describes them.

use brainstem_api::Door;
use brainstem_api::prompts::{PROMPTS, Prompt};
use brainstem_api::refusal::error_document;
use brainstem_api::resources::{CLAIM_TEMPLATE, MAIL_TEMPLATE, MIME_TYPE, ResourceItem, ResourcePage};
use brainstem_api::wire::shown;
use brainstem_base::{Fault, codes};
use rmcp::ErrorData;
use rmcp::model::{
    GetPromptResult, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, MetaObject,
    PromptArgument, PromptMessage, ReadResourceResult, Resource, ResourceContents, ResourceTemplate, Role,
};
use serde_json::json;

/// The key of a list's metadata that names what could not be looked at.
const GAPS: &str = "brainstem/gaps";
/// The key that counts the claims which are too old to be listed.
const LEFT_OUT: &str = "brainstem/left_out";

pub(crate) fn list(page: ResourcePage) -> ListResourcesResult {
    let mut listed = ListResourcesResult::with_all_items(page.items.into_iter().map(resource).collect());
    listed.next_cursor = page.next;
    let mut meta = MetaObject::new();
    if !page.gaps.is_empty() {
        meta.insert(GAPS.to_owned(), json!(page.gaps));
    }
    if page.left_out > 0 {
        meta.insert(LEFT_OUT.to_owned(), json!(page.left_out));
    }
    listed.meta = (!meta.is_empty()).then_some(meta);
    listed
}

fn resource(item: ResourceItem) -> Resource {
    Resource::new(item.uri, item.name).with_description(item.about).with_mime_type(MIME_TYPE)
}

pub(crate) fn templates() -> ListResourceTemplatesResult {
    let claims = ResourceTemplate::new(CLAIM_TEMPLATE, "claim")
        .with_description("One claim whole, by the id of a row; tier is project or medulla.")
        .with_mime_type(MIME_TYPE);
    let mail = ResourceTemplate::new(MAIL_TEMPLATE, "mail")
        .with_description("What is unread in a mailbox, without bodies.")
        .with_mime_type(MIME_TYPE);
    ListResourceTemplatesResult::with_all_items(vec![claims, mail])
}

pub(crate) fn read(uri: &str, text: String) -> ReadResourceResult {
    ReadResourceResult::new(vec![ResourceContents::text(text, uri).with_mime_type(MIME_TYPE)])
}

pub(crate) fn prompts() -> ListPromptsResult {
    ListPromptsResult::with_all_items(PROMPTS.iter().map(prompt).collect())
}

fn prompt(prompt: &Prompt) -> rmcp::model::Prompt {
    let argument = |argument: &brainstem_api::prompts::Argument| {
        PromptArgument::new(argument.name).with_description(argument.about).with_required(false)
    };
    let arguments = prompt.arguments.iter().map(argument).collect();
    rmcp::model::Prompt::new(prompt.name, Some(prompt.about), Some(arguments)).with_title(prompt.title)
}

pub(crate) fn written(text: String) -> GetPromptResult {
    GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)])
}

/// A refusal for a request that has no in-band errors: the same document, as data of the protocol's error.
pub(crate) fn refused(fault: &Fault, door: Door) -> ErrorData {
    let fault = shown(fault);
    let data = error_document(&fault, door);
    // Many clients show only the message.
    let fix = data["error"]["fix"].as_str().map(|fix| format!("; {fix}")).unwrap_or_default();
    let (message, data) = (format!("{}{fix}", fault.message), Some(data));
    let is_unknown_address = fault.field.as_deref() == Some("uri");
    if fault.code == codes::CLAIM_NOT_FOUND || is_unknown_address {
        ErrorData::resource_not_found(message, data)
    } else if fault.code == codes::INTERNAL_BUG {
        ErrorData::internal_error(message, data)
    } else {
        ErrorData::invalid_params(message, data)
    }
}
